import { defineText, figure, plural } from "./catalogue.ts"

export const knowledgeText = defineText({
  title: "Knowledge",
  list: "Collections, newest first",
  empty: "No collections yet.",
  emptyAbout:
    "A collection holds documents, such as handbooks and reports. People and agents ask it questions, and get the passages that answer them.",
  noMatch: "No collection has this name.",
  searchNames: "Search by name",
  create: "New collection",
  columns: { name: "Collection", documents: "Documents", chunks: "Passages", state: "State", created: "Created" },
  states: {
    ready: "Ready",
    reindexing: (percent: number) => `Re-indexing, ${figure(percent)} %`,
    needsReindex: "Needs re-indexing"
  },
  creating: {
    title: "New collection",
    about: "Documents about one subject are found best when they are in one collection.",
    name: "Name",
    description: "Description",
    act: "Create collection",
    failed: "The collection was not created.",
    unchanged: "Nothing was created.",
    done: (name: string) => `${name} was created`
  },
  menu: (name: string) => `Actions for ${name}`,
  open: "Open",
  reindex: "Re-index",
  removeCollection: "Delete collection",
  add: "Add",
  addFiles: "Choose files",
  addText: "Paste text",
  addObject: "From Storage",
  drop: (name: string) => `Drop files to add them to ${name}`,
  ask: {
    label: "Ask a question",
    act: "Ask",
    clear: "Show documents",
    results: (question: string) => `Passages for “${question}”`,
    found: (count: number) => plural(count, { one: "# passage, the best first", other: "# passages, the best first" }),
    none: "No passage answers this. Ask in other words, or add documents about it.",
    page: (page: number) => `Page ${figure(page)}`,
    open: (title: string) => `Read it in ${title}`,
    changed: "The hub uses another embedding model now. Re-index the collection, then ask again."
  },
  documents: {
    list: "Documents, newest first",
    empty: "No documents yet.",
    emptyAbout: "Drop text, Markdown, HTML, PDF, or Word files here, up to 10 MiB each.",
    emptyReader: "No documents yet.",
    columns: { title: "Document", state: "State", chunks: "Passages", size: "Size", added: "Added" },
    states: {
      queued: "Queued",
      processing: (percent: number) => `Reading, ${figure(percent)} %`,
      ready: "Ready",
      failed: "Failed"
    },
    types: {
      "text/plain": "Text",
      "text/markdown": "Markdown",
      "text/html": "HTML",
      "application/pdf": "PDF",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word"
    },
    pages: (count: number) => plural(count, { one: "# page", other: "# pages" }),
    passages: (count: number) => plural(count, { one: "# passage", other: "# passages" }),
    remove: "Delete",
    retry: "Try again"
  },
  /** By the code of the document's error, with what to do. */
  failures: {
    unsupported_type:
      "The file isn't text, Markdown, HTML, PDF, or Word, or its content isn't what its name says. Convert it, and add it again.",
    encrypted: "The file needs a password. Remove the password, and add it again.",
    too_large: "The document is too large. Split it, and add the parts.",
    too_many_pages: "The document has too many pages. Split it, and add the parts.",
    unreadable: "The file is damaged. Open it on your computer, save it again, and add the new file.",
    timed_out: "Reading the document took too long. Split it, and add the parts.",
    out_of_memory: "Reading the document needed too much memory. Split it, and add the parts.",
    empty: "No text was found, as in scanned pages. Run text recognition on it, and add it again.",
    embedding_failed: "The hub's embedding service failed. Try again; if it fails again, contact the hub's operator.",
    embedding_blocked:
      "The workspace's rules or budgets don't allow the assistant to embed the document now. Change them, and try again.",
    approval_required:
      "A person must approve the cost of embedding the document first. Decide in the inbox, and try again.",
    interrupted: "The hub stopped while it read the document. Try again."
  },
  document: {
    text: (title: string) => `Text of ${title}`,
    passage: "Passage found",
    earlier: "Show earlier text",
    later: "Show more text",
    reading: "The text is shown when the document is ready."
  },
  files: {
    title: "Files being added",
    sending: (percent: number) => `Sending, ${figure(percent)} %`,
    failed: "The file wasn't added.",
    cancel: (name: string) => `Cancel adding ${name}`,
    dismiss: (name: string) => `Remove ${name} from this list`,
    tooLarge: "A document has at most 10 MiB. Split it, and add the parts.",
    unsupported: "Only text, Markdown, HTML, PDF, and Word files (.docx) can be added.",
    offline: "The connection was lost. Add the file again when it is back."
  },
  pasting: {
    title: "Paste text",
    name: "Title",
    nameAbout: "Without one, the first heading or line is the title.",
    format: "Format",
    text: "Text",
    act: "Add document",
    failed: "The document was not added.",
    unchanged: "The collection is as before.",
    done: (title: string) => `${title} was added`
  },
  picking: {
    title: "Add from Storage",
    about: "The file's bytes are copied: later changes of the file don't change the document.",
    prefix: "Key begins with",
    files: "Files",
    none: "No file has such a key.",
    act: "Add document",
    failed: "The document was not added.",
    unchanged: "The collection is as before.",
    done: (title: string) => `${title} was added`
  },
  reindexing: {
    needed: "The hub uses another embedding model now. Questions work again after re-indexing.",
    running: (percent: number) => `Re-indexing for another embedding model: ${figure(percent)} %.`,
    failed: "Re-indexing was not started.",
    done: "Re-indexing started"
  },
  removing: {
    title: (name: string) => `Delete ${name}?`,
    about: (count: number) =>
      plural(count, {
        one: "Its document and all passages are deleted for good. Agents get no answers from it anymore.",
        other: "Its # documents and all passages are deleted for good. Agents get no answers from it anymore."
      }),
    keeps: "Files in Storage stay.",
    act: "Delete collection",
    failed: "The collection was not deleted.",
    unchanged: "It is as before.",
    done: (name: string) => `${name} was deleted`
  },
  removingDocument: {
    title: (title: string) => `Delete ${title}?`,
    about: "Its passages are deleted for good, and no question finds them. A file in Storage stays.",
    act: "Delete document",
    failed: "The document was not deleted.",
    unchanged: "It is as before.",
    done: (title: string) => `${title} was deleted`
  },
  retrying: { done: "The document is read again", failed: "The document was not queued again." }
})
