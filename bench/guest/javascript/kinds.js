// Fixed work of one kind, as JavaScript programs do it: node kinds.js KIND ROUNDS. Prints a number that depends
// on all of it, and is the same on every machine.
"use strict";

let seed = 12345;

function random(below) {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return (seed >>> 8) % below;
}

function hash(text) {
  let h = 0;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return h >>> 0;
}

class Shape {
  area() { return 0; }
}

class Square extends Shape {
  constructor(side) { super(); this.side = side; }
  area() { return this.side * this.side; }
}

class Half extends Square {
  area() { return super.area() / 2; }
}

class Circle extends Shape {
  constructor(radius) { super(); this.radius = radius; }
  area() { return 3 * this.radius * this.radius; }
}

const kinds = {
  // Objects to text and back.
  json(rounds) {
    const records = [];
    let h = 0;
    for (let i = 0; i < 1000; i++)
      records.push({ id: i, name: "record " + random(1000), tags: ["a", "b" + i % 7], value: random(1e6) / 1024,
                     nested: { ok: i % 3 === 0 } });
    for (let i = 0; i < rounds; i++) {
      const text = JSON.stringify(records);
      h = (h + hash(text.slice(i, i + 4000))) >>> 0;
      records[i % 1000] = JSON.parse(text)[i * 7 % 1000];
    }
    return h;
  },

  // Regular expressions, which node compiles to code of their own.
  regex(rounds) {
    let text = "", found = 0;
    for (let i = 0; i < 4000; i++) text += "user" + random(500) + "@host" + random(50) + ".example.org, ";
    for (let i = 0; i < rounds; i++) {
      for (const match of text.matchAll(/(\w+)@(host\d*[02468])\.(\w+)\.org/g)) found += match[1].length;
      found += text.replace(/user(\d)(\d*)/g, "$2$1").length;
    }
    return found;
  },

  // Arrays of objects, sorted by a function.
  sort(rounds) {
    let h = 0;
    for (let i = 0; i < rounds; i++) {
      const all = Array.from({ length: 20000 }, () => ({ key: random(100000), at: random(1e6) }));
      all.sort((a, b) => a.key - b.key || a.at - b.at);
      h = (h + all[777].at) >>> 0;
    }
    return h;
  },

  // Calls of methods of several classes at one place.
  classes(rounds) {
    const makers = [n => new Square(n), n => new Circle(n), n => new Half(n)];
    let sum = 0;
    for (let i = 0; i < rounds; i++) {
      const all = Array.from({ length: 1000 }, (_, n) => makers[random(3)](n % 100));
      for (const shape of all) sum += shape.area();
    }
    return sum;
  },

  // A hash table of strings, and garbage.
  map(rounds) {
    const map = new Map();
    let h = 0;
    for (let i = 0; i < rounds; i++) {
      const key = "k" + random(20000);
      map.set(key, (map.get(key) || 0) + 1);
      if (i % 5 === 0) map.delete("k" + random(20000));
    }
    for (const [key, value] of map) h = (Math.imul(h, 31) + hash(key) + value) >>> 0;
    return h;
  },
};

console.log(kinds[process.argv[2]](Number(process.argv[3])));
