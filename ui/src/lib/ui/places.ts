/** The commands for which the window has a place, with its name and address. */
export const places = new Map([['gatehouse people', { label: 'Settings › People', href: '#/settings?at=people' }]]);
