/** The prompts and resources that the servers of an agent offer, as things to choose from. */
import { ask } from "./api.js";

const NOBODY = "none"; // what the menu of agents calls having none

/** The servers that are switched on, by name. */
export async function loadServers(agent) {
  const { items } = await ask("GET", `/mcp-servers${agent && agent !== NOBODY ? `?agent_id=${encodeURIComponent(agent)}` : ""}`);
  return items.filter(({ enabled }) => enabled);
}

/** What one of them offers: `fields` are what it wants to be told. */
export const promptsOf = (server) =>
  server.prompts.map((one) => ({ kind: "prompt", server, key: one.name, name: one.title || one.name, about: one.description, fields: one.arguments }));

export const resourcesOf = (server) =>
  server.resources.map((one) => ({ kind: "resource", server, key: one.uri, name: one.name || one.uri, about: one.description, fields: one.variables }));

/** Those in which every word of what was typed is found. */
export function matching(offers, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return offers.filter(({ server, key, name, about }) => {
    const text = `${server.name} ${key} ${name} ${about}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Ask its server for it. Resolves with a text. */
export async function fetchOffer({ kind, server, key }, values) {
  const body = kind === "prompt" ? { name: key, arguments: values } : { uri: key, variables: values };
  return (await ask("POST", `/mcp-servers/${server.id}/${kind}`, body)).text;
}
