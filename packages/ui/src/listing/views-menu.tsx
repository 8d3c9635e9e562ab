/** Saved views of a screen: opens, saves, and changes them. */
import { useQuery } from "@tanstack/react-query"
import { Bookmark } from "lucide-react"
import { Suspense, useState } from "react"
import { PendingOverlay } from "../app/pending-overlay.ts"
import { parseSearch, type Raw, stringifySearch } from "../app/search.ts"
import { useMe, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { lazyPart } from "../components/lazy-part.ts"
import { Menu, MenuItem, MenuLine, MenuSection } from "../components/menu.tsx"
import { viewChoices } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { viewsText as t } from "../text/views.ts"
import type { View, ViewAct } from "./view-dialogs.tsx"

const ViewDialog = lazyPart(() => import("./view-dialogs.tsx"))

/** Equal for equal queries, whatever the order of their parameters. */
const queryOf = (search: Raw): string =>
  stringifySearch(Object.fromEntries(Object.entries(search).sort(([one], [other]) => one < other ? -1 : 1))).slice(1)

export interface ViewsMenuProps {
  readonly screen: View["screen"]
  /** The filters and the sort in the address. */
  readonly search: Raw
  /** The parameter `hide` of the visible columns; absent if columns cannot be hidden. */
  readonly hide?: string | undefined
  /** Opens the screen with this search and no other part of a view. */
  readonly onOpen: (search: Raw) => void
}

export const ViewsMenu = ({ hide, onOpen, screen, search }: ViewsMenuProps) => {
  const workspace = useWorkspaceId()
  const me = useMe().user.id
  const views = useQuery(viewChoices(workspace)).data?.filter((view) => view.screen === screen) ?? []
  const [act, setAct] = useState<ViewAct>()
  const [opened, setOpened] = useState<string>()
  const filters = queryOf(search)
  const query = queryOf({ ...search, hide })
  // Different columns alone do not make a different view.
  const current = views.find((view) => queryOf({ ...parseSearch(view.query), hide: undefined }) === filters)
  const last = current ?? views.find(({ id }) => id === opened)
  const update = useAct("views.update", {
    workspace,
    touches: ["views"],
    done: ({ name }) => t.saved(name)
  })
  const open = (view: View) => {
    setOpened(view.id)
    onOpen(parseSearch(view.query))
  }
  const own = views.filter(({ created_by }) => created_by.id === me)
  const others = views.filter(({ created_by }) => created_by.id !== me)
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button size="small" variant="bare" icon={<Bookmark />}>
            {current === undefined ? t.act : t.current(current.name)}
          </Button>
        }
      >
        {views.length === 0 && <MenuItem disabled>{t.none}</MenuItem>}
        {own.length > 0 && (
          <MenuSection label={t.own}>
            {own.map((view) => <MenuItem key={view.id} onSelect={() => open(view)}>{view.name}</MenuItem>)}
          </MenuSection>
        )}
        {others.length > 0 && (
          <MenuSection label={t.shared}>
            {others.map((view) => (
              <MenuItem key={view.id} onSelect={() => open(view)}>{t.by(view.name, view.created_by.name)}</MenuItem>
            ))}
          </MenuSection>
        )}
        {filters !== "" && <MenuItem onSelect={() => onOpen({})}>{t.all}</MenuItem>}
        <MenuLine />
        {current === undefined && (
          <MenuItem onSelect={() => setAct({ kind: "create", screen, query })}>{t.save}</MenuItem>
        )}
        {last?.can_edit === true && queryOf(parseSearch(last.query)) !== query && (
          <MenuItem onSelect={() => update.mutate({ params: { id: last.id }, payload: { query } })}>
            {t.update(last.name)}
          </MenuItem>
        )}
        {own.length > 1 && <MenuItem onSelect={() => setAct({ kind: "order", views: own })}>{t.reorder}</MenuItem>}
        {last?.can_edit === true && (
          <>
            <MenuItem onSelect={() => setAct({ kind: "edit", view: last })}>{t.edit(last.name)}</MenuItem>
            <MenuItem danger onSelect={() => setAct({ kind: "remove", view: last })}>{t.remove(last.name)}</MenuItem>
          </>
        )}
      </Menu>
      {act !== undefined && (
        <Suspense fallback={<PendingOverlay onCancel={() => setAct(undefined)} />}>
          <ViewDialog act={act} workspace={workspace} onClose={() => setAct(undefined)} />
        </Suspense>
      )}
    </>
  )
}
