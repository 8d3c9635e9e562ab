/**
 * Every form: its call's errors are shown at the fields with the same `path`, the rest below them. It cannot be
 * submitted during its call or an outage, and its dialog cannot be closed during the call.
 *
 * `Form` has its button at the end and `FormDialog` in the footer of a dialog. `FormFrame` is for any other layout:
 * it places `FormSubmit`, `FormProblem`, and `FormReview` itself.
 */
import { createContext, type ReactNode, type RefObject, use, useId, useMemo, useState } from "react"
import { Button, type ButtonProps } from "../components/button.tsx"
import { Dialog, type DialogProps } from "../components/dialog.tsx"
import { FormContext } from "../components/field.tsx"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { EditReview } from "./edit-review.tsx"
import { fieldProblem, isUnplaced } from "./field-problem.ts"
import { Problem, type ProblemProps } from "./problem.tsx"
import type { Edit } from "./use-edit.ts"

interface FormOwnProps {
  /**
   * The state of the call that `onSubmit` makes, or the edit, whose merge is reviewed. Without it, a submission only
   * changes the screen.
   */
  readonly call?: { readonly isPending: boolean; readonly error: unknown } | Edit<unknown, unknown> | undefined
  /** "The limit was not changed." Without it, errors are shown at the fields only. */
  readonly failed?: ProblemProps["failed"] | undefined
  readonly unchanged?: ProblemProps["unchanged"]
  /** Shown with the error: how to continue. */
  readonly actions?: ProblemProps["actions"]
  /** The paths whose errors the form shows itself. */
  readonly places?: ReadonlyArray<string>
  /** The current content cannot be sent. */
  readonly disabled?: boolean
  /** It stays usable during an outage: of a person without a session. */
  readonly duringOutage?: boolean
  /** The browser validates the fields before submission. */
  readonly validates?: boolean
  readonly onSubmit: (form: HTMLFormElement) => void
  readonly children?: ReactNode
}

interface FormState {
  readonly isBlocked: boolean
  readonly isPending: boolean
  readonly review: ReactNode
  readonly problem: ReactNode
}

const noCall = { isPending: false, error: undefined }
const FormStateContext = createContext<FormState>({
  isBlocked: false,
  isPending: false,
  review: undefined,
  problem: undefined
})

const isEdit = (call: NonNullable<FormOwnProps["call"]>): call is Edit<unknown, unknown> => "undecided" in call

const useForm = ({
  actions,
  call = noCall,
  disabled = false,
  duringOutage = call === noCall,
  failed,
  onSubmit,
  places = [],
  unchanged,
  validates = false
}: FormOwnProps) => {
  const mayAct = useMayAct() || duringOutage
  const { error, isPending } = call
  const [placed] = useState(() => new Set<string>())
  const fields = useMemo(() => ({
    errorOf: (path: string) => fieldProblem(error, path, true),
    place: (path: string) => {
      placed.add(path)
      return () => void placed.delete(path)
    }
  }), [error, placed])
  const state: FormState = {
    isPending,
    isBlocked: disabled || !mayAct || isEdit(call) && call.undecided,
    review: isEdit(call) && <EditReview edit={call} />,
    problem: failed !== undefined && isUnplaced(error, [...places, ...placed]) && (
      <Problem inline error={error} failed={failed} unchanged={unchanged} actions={actions} />
    )
  }
  return {
    state,
    fields,
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

/** The review of a merge, in the form around it. */
export const FormReview = () => use(FormStateContext).review

/** The error of the call, without the parts that the fields of the form show. */
export const FormProblem = () => use(FormStateContext).problem

export interface FormSubmitProps extends Pick<ButtonProps, "variant" | "wide" | "className"> {
  /** The label; "Save" by default. */
  readonly act?: string | undefined
  /** The label during the call. */
  readonly pendingText?: string | undefined
}

export const FormSubmit = ({ act = actText.save, pendingText = actText.asking, ...look }: FormSubmitProps) => {
  const { isBlocked, isPending } = use(FormStateContext)
  return (
    <Button {...look} type="submit" pending={isPending} pendingText={pendingText} disabled={isBlocked}>{act}</Button>
  )
}

export interface FormFrameProps extends FormOwnProps {
  readonly className?: string | undefined
  readonly label?: string | undefined
  readonly ref?: RefObject<HTMLFormElement | null> | undefined
}

export const FormFrame = ({ children, className = "grid gap-16", label, ref, ...own }: FormFrameProps) => {
  const { fields, props, state } = useForm(own)
  return (
    <form ref={ref} className={className} aria-label={label} {...props}>
      <FormStateContext value={state}>
        <FormContext value={fields}>{children}</FormContext>
      </FormStateContext>
    </form>
  )
}

export interface FormProps extends FormFrameProps, Omit<FormSubmitProps, "className"> {
  /** A Cancel button before the other one. */
  readonly onCancel?: () => void
}

/** A form within a screen, with its button at the end. */
export const Form = ({ act, children, onCancel, pendingText, variant, wide, ...own }: FormProps) => {
  const submit = <FormSubmit act={act} pendingText={pendingText} variant={variant} wide={wide} />
  return (
    <FormFrame {...own}>
      <FormReview />
      {children}
      <FormProblem />
      {onCancel === undefined ? submit : (
        <div className="flex justify-end gap-8">
          <Button onClick={onCancel} disabled={own.call?.isPending}>{actText.cancel}</Button>
          {submit}
        </div>
      )}
    </FormFrame>
  )
}

export interface FormDialogProps
  extends FormOwnProps, Pick<FormSubmitProps, "act">, Pick<DialogProps, "title" | "description" | "width">
{
  /** A button before the other buttons. */
  readonly aside?: ReactNode
  readonly initialFocus?: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

export const FormDialog = (
  { act = actText.save, aside, children, description, initialFocus, onClose, title, width, ...own }: FormDialogProps
) => {
  const { fields, props, state } = useForm(own)
  const { isBlocked, isPending, problem, review } = state
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
            {act}
          </Button>
        </>
      }
    >
      <form id={id} className="grid gap-16" {...props}>
        {review}
        <FormContext value={fields}>{children}</FormContext>
        {problem}
      </form>
    </Dialog>
  )
}
