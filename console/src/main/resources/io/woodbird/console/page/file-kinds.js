// The kinds of filter files that the page says something of their own about.

export const FROZEN = ['ribbon', 'fuse', 'map', 'exact'];
export const REMOVING = ['deletable', 'counting', 'growing'];
