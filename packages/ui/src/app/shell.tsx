/** The layout of every screen of a workspace: rail, banners, the screen, the outage bar, and the phone's bar. */
import { Outlet } from "@tanstack/react-router"
import { Suspense, useLayoutEffect } from "react"
import { lazyPart } from "../components/lazy-part.ts"
import { loadFollow } from "../live/live.ts"
import { setTimeDisplay } from "../patterns/time-zone.ts"
import { shellText as t } from "../text/shell.ts"
import { AlertToasts } from "./alert-toasts.tsx"
import { BottomBar } from "./bottom-bar.tsx"
import { useGoKeys } from "./go-keys.ts"
import { LostBar } from "./lost-bar.tsx"
import { openOverlay, useOverlay } from "./overlay.ts"
import { PendingOverlay } from "./pending-overlay.ts"
import { usePreload, usePrepared, useWasIdle } from "./preload.ts"
import { Rail } from "./rail.tsx"
import { useMe } from "./session.ts"
import styles from "./shell.module.css"
import { StandingLines } from "./standing-lines.tsx"
import { StepUp } from "./step-up.tsx"
import { UndoNotices } from "./undo-notices.tsx"

const Palette = lazyPart(() => import("./palette.tsx"))
const KeysDialog = lazyPart(() => import("./keys-dialog.tsx"))
const PendingAlerts = lazyPart(() => import("./pending-alerts.tsx"))
const FreezeDialog = lazyPart(() => import("./freeze-dialog.tsx"))

const closeOverlay = () => openOverlay(undefined)

/** Separate from the shell, which an opened overlay does not render again. */
const Overlays = () => {
  const overlay = useOverlay()
  const isPalette = overlay === "palette"
  const isPrepared = usePrepared(Palette.preload, isPalette)
  return (
    <>
      <Suspense fallback={<PendingOverlay onCancel={closeOverlay} />}>
        {(isPalette || isPrepared) && <Palette open={isPalette} />}
      </Suspense>
      <Suspense fallback={<PendingOverlay onCancel={closeOverlay} />}>
        {overlay === "keys" && <KeysDialog />}
        {overlay === "freeze" && <FreezeDialog />}
      </Suspense>
    </>
  )
}

export const Shell = () => {
  const { time_zone } = useMe().user
  useLayoutEffect(() => setTimeDisplay({ timeZone: time_zone ?? undefined }), [time_zone])
  useGoKeys()
  usePreload(loadFollow)
  const isIdle = useWasIdle()
  return (
    <div className={`grid text-1 ${styles.shell}`}>
      <a className={`px-12 py-8 rounded-control text-1 ${styles.skip}`} href="#content">{t.skip}</a>
      <Rail />
      <div className={`grid min-h-0 min-w-0 ${styles.middle}`}>
        <StandingLines />
        <div className="min-h-0 min-w-0">
          <Outlet />
        </div>
        <LostBar />
      </div>
      <BottomBar />
      <StepUp />
      <AlertToasts />
      <UndoNotices />
      {isIdle && (
        <Suspense>
          <PendingAlerts />
        </Suspense>
      )}
      <Overlays />
    </div>
  )
}
