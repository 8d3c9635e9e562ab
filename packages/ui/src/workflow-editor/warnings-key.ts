/** The hub's warnings of the last save of a workflow (`app/save-warnings.tsx`). */
export const warningsKey = (workspace: string, id: string): string => `${workspace}/workflows/${id}`
