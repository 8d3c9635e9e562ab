/** Listed publications of every workspace of the hub, newest first. */
import { useState } from "react"
import { Dialog } from "../components/dialog.tsx"
import { type Listing, listingPages } from "../hub/queries.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText as acts } from "../text/acts.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { publicationsText } from "../text/publications.ts"
import { ListingPreview } from "./listing-preview.tsx"
import { usePublicationsSearch } from "./use-publications-search.ts"

/** The hub's maximum length of a category. */
const categoryMax = 100

export const MarketplacePanel = ({ workspace }: { readonly workspace: string }) => {
  const t = publicationsText.marketplace
  const { change, search: { category, ignored, q }, show } = usePublicationsSearch()
  const held = useHeldRows<Listing>(listingPages(workspace, {
    ...q === undefined ? {} : { q },
    ...category === undefined ? {} : { category }
  }))
  const [open, setOpen] = useState<Listing>()
  const isFiltered = q !== undefined || category !== undefined
  const clear = () => show("marketplace")
  const categories = [...new Set(held.rows.flatMap((row) => row.category === null ? [] : [row.category]))].sort()
  const line = (text: string) => <RevealedText text={text} texts={reveal} line />
  const columns: ReadonlyArray<Column<Listing>> = [
    {
      id: "name",
      head: t.columns.name,
      width: "minmax(140px, 1.2fr)",
      narrow: "lead",
      cell: ({ name }) => <span className="block truncate">{line(name)}</span>
    },
    {
      id: "description",
      head: t.columns.description,
      width: "minmax(180px, 3fr)",
      from: 720,
      cell: ({ description }) => <span className="block text-2 truncate">{line(description)}</span>
    },
    {
      id: "category",
      head: t.columns.category,
      width: "minmax(96px, 0.8fr)",
      narrow: "underTrail",
      cell: ({ category: its }) =>
        its === null ? <span className="text-3">{publicationsText.fields.none}</span> : line(its)
    },
    {
      id: "publisher",
      head: t.columns.publisher,
      width: "minmax(120px, 1fr)",
      narrow: "under",
      cell: ({ publisher }) => line(publisher)
    }
  ]
  return (
    <ListFrame
      filters={
        <FilterLine
          search={{ value: q, label: t.search }}
          ignored={ignored}
          filters={[
            oneFilter("category", t.category, category, change, categories.map((value) => ({ value, text: value })), {
              is: (typed) => typed.trim() !== "" && typed.length <= categoryMax,
              label: t.categoryTyped
            })
          ]}
          change={change}
          clear={clear}
        />
      }
    >
      <HubTable
        endpoint="publishing.listings"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        onOpen={setOpen}
        empty={{ text: t.empty }}
        noMatch={t.noMatch}
        onClear={isFiltered ? clear : undefined}
      />
      {open !== undefined && (
        <Dialog
          open
          onOpenChange={(isOpen) => !isOpen && setOpen(undefined)}
          title={open.name}
          description={t.about}
          closeText={acts.close}
        >
          <ListingPreview listing={open} />
        </Dialog>
      )}
    </ListFrame>
  )
}
