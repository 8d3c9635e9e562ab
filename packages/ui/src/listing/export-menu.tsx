/** Exports the list with its current filters. */
import { Button } from "../components/button.tsx"
import { Menu, MenuItem, MenuSection } from "../components/menu.tsx"
import { viewsText } from "../text/views.ts"

export interface ExportMenuProps {
  readonly href: string
  readonly isFiltered: boolean
  readonly bare?: boolean
}

export const ExportMenu = ({ bare = false, href, isFiltered }: ExportMenuProps) => {
  const t = viewsText.export
  return (
    <Menu align="end" trigger={<Button size="small" {...bare ? { variant: "bare" } : {}}>{t.act}</Button>}>
      <MenuSection label={isFiltered ? t.filtered : t.whole}>
        <MenuItem render={<a href={href} download />}>{t.csv}</MenuItem>
      </MenuSection>
    </Menu>
  )
}
