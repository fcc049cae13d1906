/** Deeper nesting is not judged. */
export const maxDepth = 100;
