/**
 * Every form: its call's errors are shown at the fields with the same `path`, the rest below them. It cannot be
 * submitted during its call or an outage, and its dialog cannot be closed during the call.
 */
import { type ReactNode, type RefObject, useId, useMemo, useState } from "react"
import { Button } from "../components/button.tsx"
import { Dialog, type DialogProps } from "../components/dialog.tsx"
import { FormContext } from "../components/field.tsx"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { EditReview } from "./edit-review.tsx"
import { fieldProblem, isUnplaced } from "./field-problem.ts"
import { Problem, type ProblemProps } from "./problem.tsx"
import type { Edit } from "./use-edit.ts"

interface FormOwnProps {
  /** The state of the call that `onSubmit` makes, or the edit: its merge is reviewed above the fields. */
  readonly call: { readonly isPending: boolean; readonly error: unknown } | Edit<unknown, unknown>
  /** "The limit was not changed." Without it, errors are shown at the fields only. */
  readonly failed?: ProblemProps["failed"]
  readonly unchanged?: ProblemProps["unchanged"]
  /** The paths whose errors the form shows itself. */
  readonly places?: ReadonlyArray<string>
  /** The label of the submit button; "Save" by default. */
  readonly act?: string | undefined
  /** The current content cannot be sent. */
  readonly disabled?: boolean
  /** The browser validates the fields before submission. */
  readonly validates?: boolean
  readonly onSubmit: (form: HTMLFormElement) => void
  readonly children?: ReactNode
}

const isEdit = (call: FormOwnProps["call"]): call is Edit<unknown, unknown> => "undecided" in call

const useForm = (
  { call, children, disabled = false, failed, onSubmit, places = [], unchanged, validates = false }: FormOwnProps
) => {
  const mayAct = useMayAct()
  const { error, isPending } = call
  const [placed] = useState(() => new Set<string>())
  const fields = useMemo(() => ({
    errorOf: (path: string) => fieldProblem(error, path, true),
    place: (path: string) => {
      placed.add(path)
      return () => void placed.delete(path)
    }
  }), [error, placed])
  return {
    isBlocked: disabled || !mayAct || isEdit(call) && call.undecided,
    content: (
      <FormContext value={fields}>
        {isEdit(call) && <EditReview edit={call} />}
        {children}
        {failed !== undefined && isUnplaced(error, [...places, ...placed]) && (
          <Problem inline error={error} failed={failed} unchanged={unchanged} />
        )}
      </FormContext>
    ),
    props: {
      noValidate: !validates,
      onSubmit: (event: React.SyntheticEvent<HTMLFormElement>) => {
        // For a dialog inside the form of another dialog: React would bubble the event to the outer form.
        event.preventDefault()
        event.stopPropagation()
        if (!isPending && mayAct) onSubmit(event.currentTarget)
      }
    }
  }
}

export interface FormProps extends FormOwnProps {
  readonly className?: string | undefined
  readonly label?: string
  readonly variant?: "primary" | undefined
  /** The label of the button during the call. */
  readonly pendingText?: string
  /** A Cancel button before the other one. */
  readonly onCancel?: () => void
}

/** A form within a screen, with its button at the end. */
export const Form = (
  { className = "grid gap-16", label, onCancel, pendingText = actText.asking, variant, ...own }: FormProps
) => {
  const { content, isBlocked, props } = useForm(own)
  const { isPending } = own.call
  const submit = (
    <Button type="submit" variant={variant} pending={isPending} pendingText={pendingText} disabled={isBlocked}>
      {own.act ?? actText.save}
    </Button>
  )
  return (
    <form className={className} aria-label={label} {...props}>
      {content}
      {onCancel === undefined ? submit : (
        <div className="flex justify-end gap-8">
          <Button onClick={onCancel} disabled={isPending}>{actText.cancel}</Button>
          {submit}
        </div>
      )}
    </form>
  )
}

export interface FormDialogProps extends FormOwnProps, Pick<DialogProps, "title" | "description" | "width"> {
  /** A button before the other buttons. */
  readonly aside?: ReactNode
  readonly initialFocus?: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

export const FormDialog = ({ aside, description, initialFocus, onClose, title, width, ...own }: FormDialogProps) => {
  const { content, isBlocked, props } = useForm(own)
  const { isPending } = own.call
  const id = useId()
  return (
    <Dialog
      open
      held={isPending}
      onOpenChange={(open) => !open && onClose()}
      closeText={actText.close}
      title={title}
      description={description}
      width={width}
      initialFocus={initialFocus}
      footer={
        <>
          {aside}
          <Button onClick={onClose} disabled={isPending}>{actText.cancel}</Button>
          <Button
            form={id}
            type="submit"
            variant="primary"
            pending={isPending}
            pendingText={actText.asking}
            disabled={isBlocked}
          >
            {own.act ?? actText.save}
          </Button>
        </>
      }
    >
      <form id={id} className="grid gap-16" {...props}>{content}</form>
    </Dialog>
  )
}
