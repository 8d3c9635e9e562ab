/**
 * Label, control, help, and error of one input, linked by ids. No space is reserved for the error: it states the next
 * action and may move the layout.
 */
import { createContext, type ReactNode, useContext, useEffect, useId } from "react"
import { classNames } from "./class-names.ts"
import styles from "./field.module.css"

/** The form around a field, for errors that are known by the path of their value in what the form sends. */
export interface FieldForm {
  readonly errorOf: (path: string) => ReactNode
  /** Announces that a field shows the errors of a path; returns a function that withdraws it. */
  readonly place: (path: string) => () => void
}

export const FormContext = createContext<FieldForm | undefined>(undefined)

export interface FieldOwnProps {
  /** The field shows the form's errors of this path, unless it has an own error. */
  readonly path?: string | undefined
  readonly label: ReactNode
  /** The label is for screen readers only. */
  readonly labelHidden?: boolean | undefined
  readonly description?: ReactNode
  readonly error?: ReactNode
  readonly required?: boolean | undefined
  /** Shown beside the label, such as the text "optional" or a link. */
  readonly aside?: ReactNode
  readonly className?: string | undefined
}

export interface FieldControl {
  readonly id: string
  readonly required: boolean | undefined
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": true | undefined
}

export interface FieldProps extends FieldOwnProps {
  readonly children: (control: FieldControl) => ReactNode
}

export const Field = (
  { label, labelHidden = false, description, error: own, path, required, aside, className, children }: FieldProps
) => {
  const id = useId()
  const form = useContext(FormContext)
  useEffect(() => path === undefined ? undefined : form?.place(path), [form, path])
  const error = own ?? (path === undefined ? undefined : form?.errorOf(path))
  const wrong = error !== undefined && error !== null && error !== false && error !== ""
  const described = description !== undefined && description !== null && description !== false
  return (
    <div className={classNames(styles.field, className)}>
      <div className={classNames("flex items-baseline justify-between gap-8", labelHidden && "sr-only")}>
        <label className="type-label text-1" htmlFor={id}>{label}</label>
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </div>
      {children({
        id,
        required,
        "aria-describedby": classNames(described && `${id}-about`, wrong && `${id}-error`),
        "aria-invalid": wrong || undefined
      })}
      {described && <p id={`${id}-about`} className="type-note text-3">{description}</p>}
      <p id={`${id}-error`} className={styles.error} aria-live="polite">{wrong ? error : null}</p>
    </div>
  )
}

/** Separates the props of the field from those of the control. */
export const fieldProps = <P extends FieldOwnProps>(
  props: P
): readonly [FieldOwnProps, Omit<P, keyof FieldOwnProps>] => {
  const { label, labelHidden, description, error, path, required, aside, className, ...rest } = props
  return [{ label, labelHidden, description, error, path, required, aside, className }, rest]
}
