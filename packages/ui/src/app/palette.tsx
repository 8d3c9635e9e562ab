/** The palette: places, actions, and the hub's search results for the typed text. */
import { useNavigate, useRouter } from "@tanstack/react-router"
import { FileCode2, Keyboard, LogOut, OctagonPause, Play, RefreshCw, SunMoon } from "lucide-react"
import { type Dispatch, type SetStateAction, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react"
import { type Command, CommandPalette } from "../patterns/command-palette.tsx"
import { paletteText as t } from "../text/palette.ts"
import { shellText as shell } from "../text/shell.ts"
import { contrasts, densities, setAppearance, themes } from "./appearance.ts"
import { useOfferedCommands } from "./commands.ts"
import { useConsole } from "./console-context.ts"
import { resultIcons, useHubSearch } from "./hub-search.tsx"
import { idPlace } from "./id-place.ts"
import { boundKeys, keyCaps, type KeyName, useKeySettings } from "./keymap.ts"
import { useMayFreeze } from "./may-freeze.ts"
import { openOverlay } from "./overlay.ts"
import { keepKeys, takeTyped } from "./pending-overlay.ts"
import { placeHref, usePlaces } from "./places.ts"
import { isApple } from "./platform-keys.ts"
import { useWorkspace, useWorkspaces } from "./session.ts"
import { useSignOut } from "./sign-out.ts"

const close = () => openOverlay(undefined)

/** Adds text typed before the field has focus to the query. Call the returned function once the field has focus. */
const useKeysUntilReady = (open: boolean, setQuery: Dispatch<SetStateAction<string>>): () => void => {
  const end = useRef<() => void>(undefined)
  useLayoutEffect(() => {
    if (!open) return
    end.current = keepKeys(close)
    return end.current
  }, [open])
  return useCallback(() => {
    const late = takeTyped()
    end.current?.()
    if (late !== "") setQuery((before) => before + late)
  }, [setQuery])
}

/** Closed, it is rendered in advance; every value that its list depends on stays the same when it opens. */
const Palette = ({ open }: { readonly open: boolean }) => {
  const navigate = useNavigate()
  const { routesByPath } = useRouter()
  const settings = useKeySettings()
  const places = usePlaces()
  const workspace = useWorkspace()
  const workspaces = useWorkspaces()
  const offered = useOfferedCommands()
  const mayFreeze = useMayFreeze()
  const signOut = useSignOut()
  const { live } = useConsole()
  const [query, setQuery] = useState("")
  const takeKeys = useKeysUntilReady(open, setQuery)
  const { isCurrent, isSearching, results } = useHubSearch(workspace.id, query)

  const commands = useMemo((): ReadonlyArray<Command> => {
    const caps = (key: KeyName | undefined) =>
      key === undefined ? undefined : keyCaps(boundKeys(key, settings), isApple)
    const go = (href: string) => () => void navigate({ href })
    const found = idPlace(query)
    return [
      ...found !== undefined && found.route in routesByPath
        ? [{
          id: "open",
          group: t.groups.open,
          text: t.open(found.id),
          words: query,
          onRun: go(found.href(workspace.id))
        }]
        : [],
      ...offered.map(({ detail, icon, id, key, run, text }) => ({
        id: `here.${id}`,
        group: t.groups.here,
        text,
        icon,
        detail,
        keys: caps(key),
        onRun: run
      })),
      ...places.map((place) => ({
        id: `go.${place.name}`,
        group: t.groups.go,
        text: shell.places[place.name],
        icon: <place.Icon />,
        keys: caps(place.key),
        onRun: go(placeHref(workspace.id, place))
      })),
      ...mayFreeze
        ? [{
          id: "freeze",
          group: t.groups.act,
          text: workspace.frozen ? shell.freeze.lift : shell.freeze.act,
          detail: workspace.name,
          icon: workspace.frozen ? <Play /> : <OctagonPause />,
          onRun: () => openOverlay("freeze")
        }]
        : [],
      {
        id: "keys",
        group: t.groups.act,
        text: t.keys,
        icon: <Keyboard />,
        keys: caps("everywhere.keys"),
        onRun: () => openOverlay("keys")
      },
      { id: "retry", group: t.groups.act, text: t.retry, icon: <RefreshCw />, onRun: live.retryNow },
      {
        id: "docs",
        group: t.groups.act,
        text: t.docs,
        icon: <FileCode2 />,
        onRun: () => void window.open("/docs", "_blank", "noopener")
      },
      { id: "out", group: t.groups.act, text: t.signOut, icon: <LogOut />, onRun: signOut },
      ...workspaces.filter(({ id }) => id !== workspace.id).map(({ id, name }) => ({
        id: `in.${id}`,
        group: t.groups.workspaces,
        text: t.enter(name),
        onRun: go(`/w/${id}`)
      })),
      ...themes.map((theme) => ({
        id: `theme.${theme}`,
        group: t.groups.appearance,
        text: t.theme(shell.appearance.themes[theme]),
        icon: <SunMoon />,
        onRun: () => setAppearance({ theme })
      })),
      ...contrasts.map((contrast) => ({
        id: `contrast.${contrast}`,
        group: t.groups.appearance,
        text: t.contrast(shell.appearance.contrasts[contrast]),
        onRun: () => setAppearance({ contrast })
      })),
      ...densities.map((density) => ({
        id: `density.${density}`,
        group: t.groups.appearance,
        text: t.density(shell.appearance.densities[density]),
        onRun: () => setAppearance({ density })
      })),
      // Last, so that late results move nothing above them. Earlier results stay while they match the text.
      ...results.filter(({ id }) => id !== found?.id).map(({ href, id, subtitle, title, type }) => ({
        id: `hub.${type}.${id}`,
        group: t.found[type],
        text: title,
        detail: subtitle,
        icon: resultIcons[type],
        words: isCurrent ? query : undefined,
        onRun: go(href)
      }))
    ]
  }, [
    settings,
    navigate,
    routesByPath,
    places,
    workspace,
    workspaces,
    offered,
    mayFreeze,
    signOut,
    live,
    query,
    results,
    isCurrent
  ])

  return (
    <CommandPalette
      open={open}
      onClose={close}
      commands={commands}
      query={query}
      onQuery={setQuery}
      onReady={takeKeys}
      texts={isSearching ? { ...t, none: t.searching } : t}
    />
  )
}

export default Palette
