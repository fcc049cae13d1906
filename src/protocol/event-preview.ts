/** The length of the preview of a message in its event, in characters. */
export const previewCharacters = 400;
