/** The system's own dialog for a folder: no page ever names a path that is opened to commands. */
import { Context } from "effect"

export interface FolderDialogShape {
  /** None: nothing was picked. Links are not resolved. */
  readonly pick: (words: { readonly title: string; readonly button: string }) => Promise<string | undefined>
}

export class FolderDialog
  extends Context.Service<FolderDialog, FolderDialogShape>()("@countersign/desktop/FolderDialog")
{}
