// A small scheduler of tasks with queues, maps, and strings that are searched.
class Task {
    constructor(id, work) { this.id = id; this.work = work; this.queue = []; this.done = 0; }
    step(tasks) {
        const item = this.queue.shift();
        if (item === undefined) return false;
        this.done++;
        this.work(item, tasks);
        return true;
    }
}
let seed = 1;
const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff; return seed % n; };
const seen = new Map();
const tasks = [];
for (let i = 0; i < 8; i++) {
    tasks.push(new Task(i, (item, all) => {
        const key = "k" + (item.value % 512);
        seen.set(key, (seen.get(key) || 0) + 1);
        if (item.hops > 0) all[random(8)].queue.push({ value: (item.value * 31 + i) & 0xffff, hops: item.hops - 1 });
    }));
}
for (let i = 0; i < 400; i++) tasks[i % 8].queue.push({ value: i, hops: 600 });
for (let busy = true; busy;) busy = tasks.map((task) => task.step(tasks)).includes(true);
const text = [...seen.entries()].map(([key, count]) => `${key}=${count}`).join(";");
console.log(tasks.map((task) => task.done).join(" "), text.match(/k\d*7=\d+/g).length, text.length);
