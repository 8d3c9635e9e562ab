/** The sort of a list as a menu, for lists without column heads. */
import { ArrowUpDown } from "lucide-react"
import { Button } from "../components/button.tsx"
import { Menu, MenuChoice } from "../components/menu.tsx"
import type { Sorting } from "../patterns/sorting.ts"
import { viewsText } from "../text/views.ts"

export interface SortMenuProps {
  readonly sorting: Sorting
  readonly options: ReadonlyArray<{ readonly value: string; readonly text: string }>
}

export const SortMenu = ({ options, sorting }: SortMenuProps) => {
  const t = viewsText.sort
  const current = options.find(({ value }) => value === sorting.value)
  return (
    <Menu
      align="end"
      trigger={
        <Button size="small" variant="bare" icon={<ArrowUpDown />}>
          {sorting.value === sorting.usual || current === undefined ? t.act : current.text}
        </Button>
      }
    >
      <MenuChoice label={t.label} value={sorting.value} onChange={sorting.onSort} options={options} />
    </Menu>
  )
}
