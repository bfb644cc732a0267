/** What the mirror of the states holds, for the scripts that are not Python yet. Goes with the last of them. */
import { useSyncExternalStore } from "react";
import { useLocation } from "react-router";
import { conversationIn, serverSnapshot, snapshot, subscribe } from "./live.js";

export const useLive = () => useSyncExternalStore(subscribe, snapshot, serverSnapshot);

/** The conversation that the page's address names, "" if none. */
export const useConversation = () => conversationIn(useLocation().pathname);
