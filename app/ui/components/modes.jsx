/** The host of the dialogs that are not Python yet: one on a page. Each is fetched when it first opens. */
import { Suspense, useEffect, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { askModel, closeDialog, learnOpeners, openDialog, subscribeDialog } from "./dialogs.js";
import { lazy } from "./lazy.js";
import { pairOf } from "./live.js";
import { offer } from "$/islands/kit/places.ts";

const noDialog = () => null;

const DIALOGS = {
  model: lazy(() => import("./model_menu.jsx")),
};

export function OldDialogs({ onModels }) {
  const dialog = useSyncExternalStore(subscribeDialog, openDialog, noDialog);
  const navigate = useNavigate();
  useEffect(() => {
    const go = ({ detail }) => navigate(detail);
    const leave = () => openDialog() && closeDialog(); // what it is about is not on screen any more
    const stop = offer({ regenerate: (id) => askModel(pairOf(id)) });
    addEventListener("inview:go", go);
    addEventListener("popstate", leave);
    return () => {
      stop();
      removeEventListener("inview:go", go);
      removeEventListener("popstate", leave);
    };
  }, [navigate]);
  useEffect(() => learnOpeners({ models: onModels }), [onModels]);
  const Dialog = DIALOGS[dialog?.name];
  return <Suspense>{Dialog ? <Dialog {...dialog} /> : null}</Suspense>;
}
