export const MESSAGE_COUNT: number
export const END: string
export function messages(): Generator<Buffer[]>
export function digester(): { add(frames: readonly Uint8Array[]): void; result(): string }
