/** A row's menu, created at its first press: scrolling mounts dozens of rows per frame, and menus are rarely opened. */
import { Ellipsis } from "lucide-react"
import { type ReactNode, useState } from "react"
import buttonStyles from "../components/icon-button.module.css"
import { IconButton } from "../components/icon-button.tsx"
import { Menu } from "../components/menu.tsx"

export const RowMenu = ({ children, label }: { readonly label: string; readonly children: () => ReactNode }) => {
  const [open, setOpen] = useState<boolean>()
  return open === undefined
    ? (
      <button
        type="button"
        className={buttonStyles.button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={false}
        tabIndex={-1}
        onClick={() => setOpen(true)}
      >
        <Ellipsis />
      </button>
    )
    : (
      <Menu
        align="end"
        open={open}
        onOpenChange={setOpen}
        trigger={<IconButton label={label} icon={<Ellipsis />} tabIndex={-1} />}
      >
        {children()}
      </Menu>
    )
}
