import { Columns3 } from "lucide-react"
import { Button } from "../components/button.tsx"
import { Menu, MenuCheckItem, MenuItem, MenuLine, MenuSection } from "../components/menu.tsx"
import { viewsText } from "../text/views.ts"
import type { ColumnChoice } from "./columns.ts"

/** A menu to show and hide the columns of a list. */
export function ColumnsMenu<R>({ choice }: { readonly choice: ColumnChoice<R> }) {
  const t = viewsText.columns
  return (
    <Menu align="end" trigger={<Button size="small" variant="bare" icon={<Columns3 />}>{t.act}</Button>}>
      <MenuSection label={t.label}>
        {choice.choices.map(({ column, shown }) => (
          <MenuCheckItem
            key={column.id}
            checked={shown}
            onChange={() => choice.toggle(column.id)}
          >
            {column.head}
          </MenuCheckItem>
        ))}
      </MenuSection>
      {choice.isChanged && (
        <>
          <MenuLine />
          <MenuItem onSelect={choice.reset}>{t.reset}</MenuItem>
        </>
      )}
    </Menu>
  )
}
