export { overlapsOf, type SlotConflict, timeSlots } from '../../collections/time_slots.ts'
export {
  type CalendarCalibration,
  type CalendarFeed,
  type CalendarSlot,
  changeCalendarFeed,
  findCalendarByHash,
  findCalendarFeed,
  listCalendarCalibrations,
  listCalendarSlots,
  removeCalendarFeed,
  saveCalendarFeed,
} from './calendar-feeds.ts'
export {
  bookSlots,
  cancelFollowing,
  endSlot,
  requireSlot,
  type TimeSlot,
} from './slots.ts'
