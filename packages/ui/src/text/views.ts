import { defineText } from "./catalogue.ts"

/** Saved views and columns of a list. */
export const viewsText = defineText({
  act: "Views",
  current: (name: string) => `View: ${name}`,
  own: "Your views",
  shared: "Shared with the workspace",
  none: "No saved views",
  all: "All, without filters",
  save: "Save as new view…",
  update: (name: string) => `Update “${name}” with these filters`,
  edit: (name: string) => `Rename or share “${name}”…`,
  remove: (name: string) => `Delete “${name}”…`,
  reorder: "Reorder your views…",
  by: (name: string, maker: string) => `${name} (${maker})`,
  saved: (name: string) => `Saved “${name}”`,
  dialog: {
    create: "Save view",
    createAbout: "Keeps the filters, the sorting, and the columns as they are now.",
    edit: "Rename or share view",
    name: "Name",
    taken: "Another of your views here has this name. Choose another name.",
    takenOf: (maker: string) => `${maker} has another view here with this name. Choose another name.`,
    share: "Share with the workspace",
    shareAbout: "Visible to everyone with access to this screen. You and admins can change it.",
    failed: "The view was not saved."
  },
  order: {
    title: "Reorder your views",
    about: "Shared views keep the place that you give them for everyone.",
    list: "Your views",
    up: (name: string) => `Move “${name}” up`,
    down: (name: string) => `Move “${name}” down`,
    moved: (name: string, place: number, count: number) => `“${name}” is now ${place} of ${count}.`,
    failed: "The order was not saved completely."
  },
  removal: {
    title: (name: string) => `Delete the view “${name}”?`,
    own: "Its filters are lost. The list itself does not change.",
    shared: "It disappears for everyone in the workspace. The list itself does not change.",
    confirm: "Delete view",
    cancel: "Keep view",
    failed: "The view was not deleted."
  },
  columns: { act: "Columns", label: "Shown columns", reset: "Show all columns" },
  sort: { act: "Sort", label: "Order of the list" },
  export: {
    act: "Export",
    csv: "CSV, for a spreadsheet",
    filtered: "Rows that match the filters",
    whole: "All rows"
  }
})
