/** How deep things may lie in each other: deeper ones are not judged. */
export const maxDepth = 100;
