/**
 * The rail: workspace and places, and at its foot the connection, the freeze, and the person. 216 px, or 56 px
 * collapsed.
 */
import { Link, useMatchRoute } from "@tanstack/react-router"
import { OctagonPause, PanelLeftClose, PanelLeftOpen, Play } from "lucide-react"
import { useSyncExternalStore } from "react"
import { Tooltip } from "../components/tooltip.tsx"
import { alertText as t } from "../text/alerts.ts"
import { shellText } from "../text/shell.ts"
import { setAppearance, useAppearance } from "./appearance.ts"
import { useUnseenAlerts } from "./budget-alerts.ts"
import { ConnectionMark } from "./connection-mark.tsx"
import { boundKeys, keyCaps, useKeySettings } from "./keymap.ts"
import { useMayFreeze } from "./may-freeze.ts"
import { openOverlay } from "./overlay.ts"
import { pendingCountText } from "./pending-approvals.ts"
import { Count, PendingCount } from "./pending-count.tsx"
import { PersonMenu } from "./person-menu.tsx"
import { type Place, placeRoute, usePlaces } from "./places.ts"
import { isApple } from "./platform-keys.ts"
import styles from "./rail.module.css"
import { useWorkspace, useWorkspaceId } from "./session.ts"
import { useStartUnfinished } from "./start-unfinished.ts"
import { WorkspaceMenu } from "./workspace-menu.tsx"

export const Rail = () => {
  const t = shellText
  const { narrowRail } = useAppearance()
  const isSmall = useSmallWindow()
  const isUnfinished = useStartUnfinished()
  const all = usePlaces()
  const places = all.filter(({ name, under }) => under === undefined && (name !== "start" || isUnfinished))
  return (
    <nav
      className={`flex flex-col gap-8 bg-surface ${styles.rail}`}
      aria-label={t.navigation}
      data-narrow={narrowRail || isSmall || undefined}
    >
      <WorkspaceMenu />
      <ul className="grid gap-2">
        {places.filter(({ name }) => name !== "settings").map((place) => (
          <RailPlace
            key={place.name}
            place={place}
            below={all.filter(({ under }) => under === place.name)}
          />
        ))}
      </ul>
      <div className={`grid gap-8 ${styles.foot}`}>
        <ConnectionMark />
        <ul className="grid gap-2">
          {places.filter(({ name }) => name === "settings").map((place) => (
            <RailPlace
              key={place.name}
              place={place}
              below={[]}
            />
          ))}
          <Freeze />
        </ul>
        <div className={`flex items-center min-w-0 ${styles.person}`}>
          <PersonMenu />
          {!isSmall && (
            <Tooltip text={narrowRail ? t.wide : t.narrow} side="right">
              <button
                type="button"
                className={`grid flex-none border-0 rounded-control text-3 ${styles.fold}`}
                aria-label={narrowRail ? t.wide : t.narrow}
                aria-expanded={!narrowRail}
                onClick={() => setAppearance({ narrowRail: !narrowRail })}
              >
                {narrowRail ? <PanelLeftOpen size={16} aria-hidden /> : <PanelLeftClose size={16} aria-hidden />}
              </button>
            </Tooltip>
          )}
        </div>
      </div>
    </nav>
  )
}

/** Two columns need the width, so the rail is collapsed whatever the person set. */
const smallWindow = matchMedia("(max-width: 1080px)")
const subscribeWindow = (listener: () => void) => {
  smallWindow.addEventListener("change", listener)
  return () => smallWindow.removeEventListener("change", listener)
}
const useSmallWindow = (): boolean => useSyncExternalStore(subscribeWindow, () => smallWindow.matches)

interface RailPlaceProps {
  readonly place: Place
  readonly below: ReadonlyArray<Place>
}

const RailPlace = ({ below, place: { Icon, key, name }, place }: RailPlaceProps) => {
  const t = shellText
  const workspace = useWorkspaceId()
  const settings = useKeySettings()
  const matches = useMatchRoute()
  const here = [place, ...below].some((each) => matches({ to: placeRoute(each), fuzzy: true }) !== false)
  return (
    <li>
      <Tooltip
        text={t.places[name]}
        keys={key === undefined ? undefined : keyCaps(boundKeys(key, settings), isApple)}
        side="right"
      >
        <Link
          className={styles.place}
          to={placeRoute(place)}
          params={{ workspace }}
          aria-current={here ? "page" : undefined}
        >
          <Icon aria-hidden size={16} />
          <span className={`flex-1 truncate ${styles.name}`}>{t.places[name]}</span>
          {name === "inbox" && <PendingCount className={styles.count} />}
          {name === "agents" && <Unseen />}
        </Link>
      </Tooltip>
    </li>
  )
}

const Unseen = () => {
  const { length } = useUnseenAlerts()
  return length === 0
    ? null
    : <Count className={styles.count} label={t.unseen(length)} text={pendingCountText(length)} />
}

const Freeze = () => {
  const { freeze: t } = shellText
  const { frozen } = useWorkspace()
  if (!useMayFreeze()) return null
  return (
    <li>
      <Tooltip text={frozen ? t.lift : t.act} side="right">
        <button
          type="button"
          className={styles.place}
          data-stop={frozen || undefined}
          onClick={() => openOverlay("freeze")}
        >
          {frozen ? <Play aria-hidden size={16} /> : <OctagonPause aria-hidden size={16} />}
          <span className={`flex-1 truncate ${styles.name}`}>{frozen ? t.lift : t.act}</span>
        </button>
      </Tooltip>
    </li>
  )
}
