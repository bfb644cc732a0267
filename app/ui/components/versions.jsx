/** Which version of a pair stands, of how many: arrows to the others, and the way to compare them. */
import { memo } from "react";
import { compareVersions } from "./dialogs.js";
import { restore } from "./versions.js";

export const Versions = memo(function Versions({ pair }) {
  const { version, versions } = pair;
  if (!(versions > 1)) return null;
  return (
    <span className="versions" role="group" aria-label={`Version ${version} of ${versions}`}>
      <Arrow to={version - 1} versions={versions} name="Previous version" path="M9.5 4 5.5 8l4 4" onGo={(to) => restore(pair, to)} />
      <button type="button" className="version-place" title="Compare the versions (Shift+E swaps)" aria-label={`Version ${version} of ${versions}. Compare the versions`} onClick={() => compareVersions(pair)}>
        {version}/{versions}
      </button>
      <Arrow to={version + 1} versions={versions} name="Next version" path="m6.5 4 4 4-4 4" onGo={(to) => restore(pair, to)} />
    </span>
  );
});

// Not disabled at the ends: the focus would be lost there.
const Arrow = ({ to, versions, name, path, onGo }) => (
  <button type="button" className="version-arrow" aria-label={name} title={name} aria-disabled={to < 1 || to > versions} onClick={() => onGo(to)}>
    <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round">
      <path d={path} />
    </svg>
  </button>
);
