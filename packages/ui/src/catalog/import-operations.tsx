/** The operations of a document, to select by search and tag; each at the common price or at its own. */
import { useState } from "react"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { Dialog } from "../components/dialog.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { actText as acts } from "../text/acts.ts"
import { catalogText as all } from "../text/catalog.ts"
import type { Preview } from "./import-pick.tsx"
import styles from "./import-screen.module.css"
import { isPrice, type PriceDraft, PriceField } from "./price-field.tsx"
import { priceWords } from "./price.ts"

export interface ImportOperationsProps {
  readonly preview: Preview
  readonly picked: ReadonlySet<string>
  readonly onPick: (picked: ReadonlySet<string>) => void
  readonly price: PriceDraft
  readonly own: ReadonlyMap<string, PriceDraft>
  readonly onOwn: (own: ReadonlyMap<string, PriceDraft>) => void
  readonly problem: string | undefined
}

export const ImportOperations = ({ onOwn, onPick, own, picked, preview, price, problem }: ImportOperationsProps) => {
  const t = all.import
  const [sought, setSought] = useState("")
  const [tag, setTag] = useState("")
  const [pricing, setPricing] = useState<Preview["operations"][number]>()
  const tags = [...new Set(preview.operations.flatMap((each) => each.tags))]
  const words = sought
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
  const shown = preview.operations.filter(
    (each) =>
      (tag === "" || each.tags.includes(tag))
      && words.every((word) =>
        `${each.operation_id} ${each.name} ${each.title ?? ""} ${each.method} ${each.path}`.toLowerCase().includes(word)
      )
  )
  const toggle = (ids: ReadonlyArray<string>, on: boolean) => {
    const next = new Set(picked)
    for (const id of ids) {
      if (on) next.add(id)
      else next.delete(id)
    }
    onPick(next)
  }
  return (
    <Panel
      title={t.pick}
      flush
      actions={
        <span className="type-note text-2" role="status">
          {t.picked(picked.size, preview.operations.length)}
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-8 px-16 py-12 border-b">
        <TextField
          label={t.pickSearch}
          labelHidden
          placeholder={t.pickSearch}
          type="search"
          value={sought}
          onChange={setSought}
          className={styles.search}
        />
        {tags.length > 1 && (
          <Select
            label={t.tag}
            labelHidden
            value={tag}
            onChange={setTag}
            options={["", ...tags].map((value) => ({ value, text: value === "" ? t.anyTag : value }))}
          />
        )}
        <Button
          size="small"
          onClick={() =>
            toggle(
              shown.map(({ operation_id }) => operation_id),
              true
            )}
        >
          {t.pickAll(shown.length)}
        </Button>
        <Button size="small" onClick={() => onPick(new Set())}>
          {t.pickNone}
        </Button>
      </div>
      {problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <ul className={styles.operations} aria-label={t.pick} tabIndex={0}>
        {shown.map((each) => {
          const id = each.operation_id
          const mine = own.get(id)
          const effective = mine ?? price
          const priceLabel = isPrice(effective) ? priceWords(all.price, effective) : t.setOwn
          return (
            <li key={id} className={`grid items-center gap-2 gap-x-16 type-body ${styles.operation}`}>
              <Checkbox label={each.title ?? each.name} checked={picked.has(id)} onChange={(on) => toggle([id], on)} />
              <code className={`type-mono text-2 wrap-anywhere ${styles.call}`}>{`${each.method} ${each.path}`}</code>
              <span className="tabular-nums text-end">
                {picked.has(id) && (
                  <Button
                    size="small"
                    variant="bare"
                    aria-label={t.priceOf(each.name, priceLabel)}
                    onClick={() => setPricing(each)}
                  >
                    {priceLabel}
                  </Button>
                )}
              </span>
            </li>
          )
        })}
      </ul>
      {pricing !== undefined && (
        <OwnPriceDialog
          name={pricing.name}
          initial={own.get(pricing.operation_id) ?? price}
          isOwn={own.has(pricing.operation_id)}
          onClose={() => setPricing(undefined)}
          onSet={(next) => {
            const changed = new Map(own)
            if (next === undefined) changed.delete(pricing.operation_id)
            else changed.set(pricing.operation_id, next)
            onOwn(changed)
            setPricing(undefined)
          }}
        />
      )}
    </Panel>
  )
}

interface OwnPriceDialogProps {
  readonly name: string
  readonly initial: PriceDraft
  readonly isOwn: boolean
  readonly onSet: (price: PriceDraft | undefined) => void
  readonly onClose: () => void
}

const OwnPriceDialog = ({ initial, isOwn, name, onClose, onSet }: OwnPriceDialogProps) => {
  const t = all.import
  const [price, setPrice] = useState(initial)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t.priceOwn(name)}
      closeText={acts.close}
      footer={
        <>
          {isOwn && <Button onClick={() => onSet(undefined)}>{t.priceSame}</Button>}
          <Button onClick={onClose}>{acts.cancel}</Button>
          <Button variant="primary" disabled={!isPrice(price)} onClick={() => onSet(price)}>
            {acts.save}
          </Button>
        </>
      }
    >
      <PriceField value={price} onChange={setPrice} problem={() => undefined} />
    </Dialog>
  )
}
