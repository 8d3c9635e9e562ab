/** Filters behind one button on a narrow screen, where they would take several lines; elsewhere they are in the line. */
import { ListFilter } from "lucide-react"
import { type ReactNode, useId } from "react"
import { Button } from "../components/button.tsx"
import styles from "./filter-fold.module.css"

export interface FilterFoldProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** With the number of set filters: "Filters (2)". */
  readonly text: string
  readonly children: ReactNode
}

export const FilterFold = ({ children, onOpenChange, open, text }: FilterFoldProps) => {
  const id = useId()
  return (
    <>
      <Button
        size="small"
        className={styles.button}
        icon={<ListFilter />}
        data-fold
        aria-expanded={open}
        aria-controls={id}
        onClick={() => onOpenChange(!open)}
      >
        {text}
      </Button>
      <div id={id} className={styles.folded} data-open={open || undefined}>{children}</div>
    </>
  )
}
