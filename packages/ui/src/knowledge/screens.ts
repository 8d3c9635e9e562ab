/** One part of the build: a person who opens the collections opens one of them. */
export { CollectionScreen } from "./collection-screen.tsx"
export { CollectionsScreen } from "./collections-screen.tsx"
