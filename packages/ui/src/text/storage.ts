import { defineText, figure, plural } from "./catalogue.ts"

export const storageText = defineText({
  title: "Storage",
  views: "Files of the workspace",
  tabs: { files: "Files", deleted: "Deleted" },
  list: "Folders, then files by name",
  deletedList: "Deleted files, newest first",
  columns: {
    name: "Name",
    size: "Size",
    type: "Type",
    added: "Added",
    deleted: "Deleted",
    until: "Can be restored until"
  },
  folder: "Folder",
  openFolder: (name: string) => `Open folder ${name}`,
  upload: "Upload files",
  drop: (place: string) => `Drop files to upload them to ${place}`,
  noFolders: "A folder can't be uploaded. Choose the files in it.",
  empty: "No files yet.",
  emptyAbout:
    "Files that you upload here, and files that your agents write. An agent with access to the service storage adds one like this:",
  emptyReader: "No files yet. People and agents with write access to storage add them.",
  emptyFolder: "No files in this folder.",
  copyCommand: "Copy command",
  command: "Command that adds a file",
  noneDeleted: "No deleted files. Deleted files stay here for 7 days.",
  bytes: {
    b: (n: string) => `${n} B`,
    kb: (n: string) => `${n} kB`,
    mb: (n: string) => `${n} MB`,
    gb: (n: string) => `${n} GB`
  },
  exactly: (bytes: number) => plural(bytes, { one: "# byte", other: "# bytes" }),
  quota: {
    used: (used: string, max: string) => `${used} of ${max} used`,
    full: (max: string) => `Storage is full: ${max} used`,
    deleted: (deleted: string) => `${deleted} of it by deleted files`
  },
  menu: (name: string) => `Actions for ${name}`,
  open: "Open",
  download: "Download",
  downloadIt: (name: string) => `Download ${name}`,
  copyKey: "Copy key",
  rename: "Rename",
  editMetadata: "Edit metadata",
  remove: "Delete",
  restore: "Restore",
  restoreIt: (name: string) => `Restore ${name}`,
  detail: {
    key: "Key",
    type: "Type",
    size: "Size",
    added: "Added",
    deleted: "Deleted",
    until: "Can be restored until",
    sha256: "SHA-256",
    id: "Id",
    metadata: "Metadata",
    noMetadata: "none"
  },
  preview: {
    title: "Preview",
    none: "This type has no preview. Download the file to open it.",
    emptyFile: "This file is empty.",
    failed: "The preview couldn't be loaded. Download the file to open it.",
    part: (shown: string) => `The first ${shown}. Download the file to read the rest.`,
    image: (name: string) => `Image ${name}`,
    audio: (name: string) => `Audio ${name}`,
    video: (name: string) => `Video ${name}`,
    text: (name: string) => `Text of ${name}`
  },
  uploads: {
    title: "Uploads",
    clear: "Clear finished",
    states: {
      waiting: "Queued",
      reading: (percent: number) => `Reading file, ${figure(percent)} %`,
      sending: (sent: string, size: string, percent: number) => `${sent} of ${size}, ${figure(percent)} %`,
      confirming: "Checking the received file…",
      done: "Uploaded",
      taken: "A file with this key exists. Replacing it moves the current one to Deleted.",
      interrupted: "Interrupted when the page was closed. Choose the same file to send it again.",
      otherName: (name: string) => `Choose the file ${name}: this one has another name.`,
      otherSize: (size: string) => `This is another file: the interrupted one has ${size}.`,
      otherContent: "This is another file: its content differs from the interrupted one."
    },
    progress: (name: string) => `Upload of ${name}`,
    cancel: (name: string) => `Cancel upload of ${name}`,
    dismiss: (name: string) => `Remove ${name} from this list`,
    retry: "Try again",
    replace: "Replace",
    skip: "Don't upload",
    choose: "Choose file",
    failed: "The file wasn't uploaded."
  },
  /** By the hub's code. */
  refusals: {
    key_taken: "Another person's file has this key. Upload the file under another name, or into another folder.",
    storage_quota_exceeded: "There is not enough room. Delete files, or ask the operator of this hub for more.",
    checksum_mismatch: "The file changed while it was sent. Try again.",
    not_uploaded: "The file didn't arrive. Try again.",
    storage_not_shared:
      "This hub can't reach the workspace's files. Its operator must share the directory or set up a bucket.",
    gone: "The time for this upload is over. Try again.",
    network_error: "The connection was lost. Try again when it is back.",
    timeout: "Nothing was received for a minute. Try again."
  },
  tooLarge: (max: string) => `A file can have at most ${max}.`,
  renaming: {
    title: (name: string) => `Rename ${name}`,
    key: "Key",
    about: "Slashes make folders: reports/2026/june.pdf",
    failed: "The file was not renamed.",
    unchanged: "It has its old key.",
    done: (name: string) => `Renamed to ${name}`
  },
  metadata: {
    title: (name: string) => `Metadata of ${name}`,
    about: "Names and texts that programs read with the file.",
    name: (at: number) => `Name ${figure(at)}`,
    value: (at: number) => `Value ${figure(at)}`,
    add: "Add entry",
    remove: (at: number) => `Remove entry ${figure(at)}`,
    twice: "Two entries have the same name.",
    failed: "The metadata was not changed.",
    unchanged: "It is as before.",
    done: "The metadata was changed"
  },
  removing: {
    title: (name: string) => `Delete ${name}?`,
    about: "You can restore it for 7 days. Until then it counts against the limit.",
    act: "Delete file",
    failed: "The file was not deleted.",
    unchanged: "It is as before.",
    done: (name: string) => `${name} was deleted`
  },
  restoring: {
    title: (name: string) => `Restore ${name}?`,
    about: (key: string) => `It returns to ${key}.`,
    act: "Restore file",
    failed: "The file was not restored.",
    unchanged: "It stays among the deleted files.",
    taken: "Another file has its key. Rename or delete that file first.",
    done: (name: string) => `${name} was restored`
  }
})
