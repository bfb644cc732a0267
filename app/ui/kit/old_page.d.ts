// The old scripts that islands still import, with the types of what they take of them. Gone with the last of them.

declare module "$/public/external/app/ui/components/scripts/preferences.js" {
  /** Take over what was changed by a page that is not drawn by scripts. */
  export function takePreferences(changed: {
    readonly keys: Readonly<Record<string, string>>;
    readonly auto_enter_view_on_overflow: boolean;
  }): void;
}

declare module "$/public/external/app/ui/components/scripts/keys.js" {
  /** The action that a key of the reading mode calls. */
  export function actionOf(key: string): { id: string } | undefined;
}

declare module "$/public/external/app/ui/components/scripts/modes.js" {
  /** Whether somebody typed within the last second. */
  export function isTyping(): boolean;
  export function currentMode(): "INPUT" | "VIEW" | "COMMAND";
}
