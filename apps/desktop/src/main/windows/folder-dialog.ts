/** The system's folder dialog. A page never supplies the path of a folder that is opened to commands. */
import { Context } from "effect"

export interface FolderDialogShape {
  /** Undefined when the person canceled. Links are not resolved. */
  readonly pick: (words: { readonly title: string; readonly button: string }) => Promise<string | undefined>
}

export class FolderDialog
  extends Context.Service<FolderDialog, FolderDialogShape>()("@countersign/desktop/FolderDialog")
{}
