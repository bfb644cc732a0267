/** Something folded that asks for what is in it when somebody unfolds it for the first time. */
import type { ReactNode, SyntheticEvent } from "react";
import type { UnfoldingProps } from "./views.ts";

export function Unfolding({ opened, loaded, className, onNeed, children }: UnfoldingProps): ReactNode {
  const toggled = ({ currentTarget }: SyntheticEvent<HTMLDetailsElement>) => {
    if (currentTarget.open && !loaded) onNeed?.();
  };
  return (
    <details className={className} open={opened} onToggle={toggled}>
      {children}
    </details>
  );
}
