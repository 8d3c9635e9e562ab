/** The comment on an approval, kept with the decision. */
import { TextField, type TextFieldProps } from "../components/text-field.tsx"
import { approvalText as t } from "../text/approvals.ts"
import { commentLengthMax } from "./limits-of-contract.ts"

export const CommentField = (props: Omit<TextFieldProps, "label" | "maxLength">) => (
  <TextField label={t.foot.comment} placeholder={t.foot.commentHint} maxLength={commentLengthMax} {...props} />
)
