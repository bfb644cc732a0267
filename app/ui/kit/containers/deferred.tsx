/**
 * A part of the page that is loaded when it is first shown, even if the server is unreachable at the time.
 *
 * React remembers that a part could not be loaded, and removes the whole page. So React gets only a loaded part; until
 * then nothing is drawn.
 */
import { type ComponentType, lazy, type ReactNode, Suspense, useLayoutEffect } from "react";
import { fetchPart } from "../connection/part.ts";
import { signal } from "../signal.ts";
import type { DeferredProps } from "../views.ts";

type Part = { default: ComponentType };
type Module = Record<string, ComponentType>;
type Load = () => Promise<Module>;

const parts = new Map<string, ComponentType>();
/** Number of parts that should be shown and are still loading. */
export const coming = signal(0);

export function Deferred({ when, name, load }: DeferredProps): ReactNode {
  if (!when) return null;
  const Part = partOf(name, load as Load);
  return (
    <Suspense fallback={<Coming />}>
      <Part />
    </Suspense>
  );
}

function Coming(): ReactNode {
  useLayoutEffect(() => {
    coming.set(coming.get() + 1);
    return () => coming.set(coming.get() - 1);
  }, []);
  return null;
}

function partOf(name: string, load: Load): ComponentType {
  const known = parts.get(name);
  if (known) return known;
  const part = lazy(async (): Promise<Part> => {
    const { [name]: drawn } = await fetchPart(load);
    if (!drawn) throw new Error(`No ${name} in its module.`);
    return { default: drawn };
  });
  parts.set(name, part);
  return part;
}
