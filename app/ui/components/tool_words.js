/** What is typed about a server, read: a command line, and names with values. */

/** `npx -y "my server"` as {command, arguments}: parted at blanks, but not within quotes. Nothing else is special. */
export function parseCommand(line) {
  const words = [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+|["']\S*/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, a, b) => a ?? b));
  return { command: words[0] ?? "", arguments: words.slice(1) };
}

/** Lines `NAME=value` (or with `sign` between) as an object, and the first line that is none. */
export function parseSecrets(text, sign) {
  const secrets = {};
  for (const line of (text ?? "").split("\n").map((one) => one.trim()).filter(Boolean)) {
    const at = line.indexOf(sign);
    if (at < 1) return [secrets, line.slice(0, 20)];
    secrets[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return [secrets, ""];
}
