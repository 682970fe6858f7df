import type { ArithmeticOperator } from './operator.ts'

/** A complex number. */
export interface Complex {
  re: number
  im: number
}

/** Complex arithmetic; powers take the principal value. The remainder is not defined and yields NaN. */
export function complexBinary(operator: ArithmeticOperator, a: Complex, b: Complex): Complex {
  switch (operator) {
    case '+':
      return { re: a.re + b.re, im: a.im + b.im }
    case '-':
      return { re: a.re - b.re, im: a.im - b.im }
    case '*':
      return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
    case '/':
      return divide(a, b)
    case '**':
      return power(a, b)
    case '%':
      return { re: Number.NaN, im: Number.NaN }
  }
}

function divide(a: Complex, b: Complex): Complex {
  const norm = b.re * b.re + b.im * b.im
  return { re: (a.re * b.re + a.im * b.im) / norm, im: (a.im * b.re - a.re * b.im) / norm }
}

function power(base: Complex, exponent: Complex): Complex {
  if (base.re === 0 && base.im === 0) return { re: exponent.re === 0 && exponent.im === 0 ? 1 : 0, im: 0 }
  const logarithm = complexLog(base)
  return complexExp(complexBinary('*', exponent, logarithm))
}

/** e^z. */
export function complexExp(z: Complex): Complex {
  const size = Math.exp(z.re)
  return { re: size * Math.cos(z.im), im: size * Math.sin(z.im) }
}

/** Principal logarithm. */
function complexLog(z: Complex): Complex {
  return { re: Math.log(Math.hypot(z.re, z.im)), im: Math.atan2(z.im, z.re) }
}

/** Principal square root. */
export function complexSqrt(z: Complex): Complex {
  const size = Math.sqrt(Math.hypot(z.re, z.im))
  const half = Math.atan2(z.im, z.re) / 2
  return { re: size * Math.cos(half), im: size * Math.sin(half) }
}
