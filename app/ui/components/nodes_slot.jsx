/** A place between two pairs for what is never sent. What draws it is fetched once there is something. */
import { memo, Suspense } from "react";
import { lazy } from "./lazy.js";

const Nodes = lazy(() => import("./nodes.jsx"));

export const NodesSlot = memo(
  function NodesSlot({ nodes }) {
    return nodes?.length ? (
      <Suspense fallback={null}>
        <div className="nodes"><Nodes nodes={nodes} /></div>
      </Suspense>
    ) : null;
  },
  ({ nodes: before = [] }, { nodes: now = [] }) => before.length === now.length && before.every((node, at) => node === now[at]),
);
