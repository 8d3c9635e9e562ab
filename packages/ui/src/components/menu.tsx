/** A menu of actions. `trigger` is the button; the components below are its children. */
import { Menu as Base } from "@base-ui/react/menu"
import { Check } from "lucide-react"
import { type ReactElement, type ReactNode, useId } from "react"
import { classNames } from "./class-names.ts"
import { Kbd } from "./kbd.tsx"
import styles from "./menu.module.css"

export interface MenuProps {
  readonly trigger: ReactElement
  readonly children: ReactNode
  readonly align?: "start" | "end" | undefined
  readonly side?: "top" | "bottom" | "right" | undefined
  readonly open?: boolean | undefined
  readonly onOpenChange?: ((open: boolean) => void) | undefined
}

export const Menu = ({ trigger, children, align = "start", side = "bottom", open, onOpenChange }: MenuProps) => {
  const id = useId()
  return (
    <Base.Root {...(open !== undefined && { open })} {...(onOpenChange !== undefined && { onOpenChange })}>
      <Base.Trigger id={id} render={trigger} />
      <Base.Portal>
        {/* The portal at the end of the document would be outside of the page's landmarks. */}
        <section aria-labelledby={id}>
          <Base.Positioner className={styles.positioner} align={align} side={side} sideOffset={4} collisionPadding={8}>
            <Base.Popup className={styles.popup}>{children}</Base.Popup>
          </Base.Positioner>
        </section>
      </Base.Portal>
    </Base.Root>
  )
}

export interface MenuItemProps {
  readonly children: ReactNode
  readonly onSelect?: (() => void) | undefined
  readonly icon?: ReactNode
  readonly keys?: ReadonlyArray<string> | undefined
  readonly danger?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** A link, such as the router's, instead of an action. */
  readonly render?: ReactElement | undefined
}

const Face = ({ icon, keys, children }: Pick<MenuItemProps, "icon" | "keys" | "children">) => (
  <>
    <span className={styles.icon} aria-hidden>{icon}</span>
    <span className={styles.text}>{children}</span>
    {keys !== undefined && <Kbd keys={keys} />}
  </>
)

export const MenuItem = ({ children, onSelect, icon, keys, danger, disabled, render }: MenuItemProps) => {
  const face = <Face icon={icon} keys={keys}>{children}</Face>
  const className = classNames(styles.item, danger && styles.danger)
  if (render !== undefined) {
    return <Base.LinkItem closeOnClick className={className} render={render}>{face}</Base.LinkItem>
  }
  return <Base.Item className={className} disabled={disabled ?? false} onClick={onSelect}>{face}</Base.Item>
}

export interface MenuCheckItemProps {
  readonly children: ReactNode
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean | undefined
}

/** The menu stays open, so that several items can be toggled. */
export const MenuCheckItem = ({ children, checked, onChange, disabled = false }: MenuCheckItemProps) => (
  <Base.CheckboxItem className={styles.item} checked={checked} onCheckedChange={onChange} disabled={disabled}>
    <span className={classNames(styles.icon, styles.kept)}>
      <Base.CheckboxItemIndicator>
        <Check />
      </Base.CheckboxItemIndicator>
    </span>
    <span className={styles.text}>{children}</span>
  </Base.CheckboxItem>
)

export interface MenuChoiceProps<V extends string = string> {
  readonly label: string
  readonly value: V
  readonly onChange: (value: V) => void
  readonly options: ReadonlyArray<{ readonly value: V; readonly text: ReactNode }>
}

/** A radio group in the menu. */
export const MenuChoice = <V extends string>({ label, value, onChange, options }: MenuChoiceProps<V>) => (
  <Base.RadioGroup value={value} onValueChange={(next: V) => onChange(next)} aria-label={label}>
    {options.map((option) => (
      <Base.RadioItem key={option.value} value={option.value} className={styles.item} closeOnClick>
        <span className={classNames(styles.icon, styles.kept)}>
          <Base.RadioItemIndicator>
            <Check />
          </Base.RadioItemIndicator>
        </span>
        <span className={styles.text}>{option.text}</span>
      </Base.RadioItem>
    ))}
  </Base.RadioGroup>
)

export const MenuLine = () => <Base.Separator className={styles.line} />

export const MenuSection = ({ label, children }: { readonly label: ReactNode; readonly children: ReactNode }) => (
  <Base.Group>
    <Base.GroupLabel className={styles.label}>{label}</Base.GroupLabel>
    {children}
  </Base.Group>
)
