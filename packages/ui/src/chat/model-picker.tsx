/** The choice of a model, with its price and context window; a star keeps it among the first. */
import { useQuery } from "@tanstack/react-query"
import { ChevronDown, Star } from "lucide-react"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Popover } from "../components/popover.tsx"
import { TextField } from "../components/text-field.tsx"
import { favoriteModels, type Model, modelsQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { chatText } from "../text/chat.ts"
import styles from "./chat.module.css"
import { findModels, priceText, windowText } from "./model-text.ts"

/** More than this are found by a search. */
const shownMax = 40

export interface ModelPickerProps {
  /** undefined: the hub's default. */
  readonly value: string | undefined
  readonly onChange: (model: string) => void
  readonly disabled?: boolean | undefined
  readonly pending?: boolean | undefined
  /** The list opens below the button: a dialog lies above popovers. */
  readonly inline?: boolean | undefined
}

export const ModelPicker = ({ disabled, inline = false, onChange, pending, value }: ModelPickerProps) => {
  const t = chatText
  const [open, setOpen] = useState(false)
  const name = value ?? t.newChat.standard
  const trigger = (
    <Button
      size="small"
      variant={inline ? "quiet" : "bare"}
      className={styles.model}
      disabled={disabled}
      pending={pending}
      aria-label={t.models.trigger(name)}
      {...inline ? { "aria-expanded": open, onClick: () => setOpen(!open) } : {}}
    >
      <span className="flex items-center gap-4 min-w-0">
        <span className="truncate" translate="no">{name}</span>
        <ChevronDown aria-hidden size={14} className={styles.chevron} />
      </span>
    </Button>
  )
  const list = open && (
    <ModelList
      value={value}
      onChange={(model) => {
        setOpen(false)
        onChange(model)
      }}
    />
  )
  return inline
    ? (
      <div
        className={styles.inline}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || !open) return
          // The dialog around the list stays open.
          event.stopPropagation()
          event.currentTarget.querySelector("button")?.focus()
          setOpen(false)
        }}
      >
        {trigger}
        {list}
      </div>
    )
    : <Popover title={t.models.title} side="top" open={open} onOpenChange={setOpen} trigger={trigger}>{list}</Popover>
}

const ModelList = ({ onChange, value }: Pick<ModelPickerProps, "value" | "onChange">) => {
  const t = chatText.models
  const workspace = useWorkspaceId()
  const [query, setQuery] = useState("")
  const models = useQuery(modelsQuery(workspace))
  const favorites = useQuery(favoriteModels(workspace))
  const touches = ["models.favorites"] as const
  const add = useAct("models.addFavorite", { workspace, touches })
  const remove = useAct("models.removeFavorite", { workspace, touches })
  const starred = new Set<string>(favorites.data?.data.map(({ model_id }) => model_id))
  const found = findModels(models.data?.data ?? [], { favorites: starred, chosen: value, query })
  const error = models.error ?? add.error ?? remove.error
  const list = useRef<HTMLUListElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const [best] = found
  /** Down goes from the search into the list, and Enter takes the first model. */
  const onSearchKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && best !== undefined && query.trim() !== "") onChange(best.id)
    else if (event.key === "ArrowDown") choicesOf(list.current)[0]?.focus()
    else if (event.key !== "Enter") return
    // The dialog around it is not submitted.
    event.preventDefault()
  }
  const onListKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const choices = choicesOf(list.current)
    const at = choices.findIndex((choice) => choice.parentElement?.contains(document.activeElement))
    const next = at < 0 ? choices[0] : at + step < 0 ? field.current : choices[at + step]
    next?.focus()
  }
  return (
    <div className={styles.models}>
      <TextField
        ref={field}
        label={t.search}
        labelHidden
        placeholder={t.search}
        value={query}
        onChange={setQuery}
        onKeyDown={onSearchKey}
      />
      <p className="type-note text-3">{t.unit}</p>
      {error !== null && <Problem inline error={error} failed={t.favoriteFailed} />}
      {models.data !== undefined && found.length === 0 && <p className="type-note text-2">{t.none}</p>}
      <ul ref={list} className={styles.modelList} aria-label={t.list} tabIndex={0} onKeyDown={onListKey}>
        {found.slice(0, shownMax).map((model) => (
          <ModelRow
            key={model.id}
            model={model}
            isChosen={model.id === value}
            isFavorite={starred.has(model.id)}
            onChoose={() => onChange(model.id)}
            onStar={(on) =>
              on
                ? add.mutate({ payload: { model_id: model.id } })
                : remove.mutate({ params: { modelId: model.id } })}
          />
        ))}
      </ul>
      {found.length > shownMax && <p className="type-note text-3">{t.more(found.length - shownMax)}</p>}
    </div>
  )
}

const choicesOf = (list: HTMLElement | null): ReadonlyArray<HTMLElement> => [
  ...list?.querySelectorAll<HTMLElement>("[aria-pressed][data-model]") ?? []
]

interface ModelRowProps {
  readonly model: Model
  readonly isChosen: boolean
  readonly isFavorite: boolean
  readonly onChoose: () => void
  readonly onStar: (on: boolean) => void
}

const ModelRow = ({ isChosen, isFavorite, model, onChoose, onStar }: ModelRowProps) => {
  const t = chatText.models
  return (
    <li className={styles.modelRow} data-chosen={isChosen || undefined}>
      <button type="button" className={styles.modelChoice} data-model aria-pressed={isChosen} onClick={onChoose}>
        <span className="type-control wrap-anywhere" translate="no">{model.id}</span>
        <span className="type-note tabular-nums text-2">
          {priceText(model)} · {windowText(model)}
        </span>
      </button>
      <IconButton
        label={isFavorite ? t.unfavorite(model.id) : t.favorite(model.id)}
        pressed={isFavorite}
        icon={<Star size={14} fill={isFavorite ? "currentColor" : "none"} />}
        onClick={() => onStar(!isFavorite)}
      />
    </li>
  )
}
