CREATE TABLE item (id INTEGER PRIMARY KEY, part INTEGER, name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
INSERT INTO item SELECT i, (i * 7919) % 1009, printf('item %d of %x', i, i * 2654435761 % 65536) FROM n;
CREATE INDEX by_part ON item (part, name);
SELECT count(*), sum(a.id % 13) FROM item a JOIN item b ON b.part = a.part AND b.id = a.id + 1009;
SELECT part, count(*), max(name) FROM item WHERE name LIKE '%f a%' GROUP BY part ORDER BY 2 DESC, 1 LIMIT 5;
SELECT substr(name, -2) AS tail, count(*) FROM item GROUP BY tail ORDER BY tail LIMIT 8;
UPDATE item SET name = upper(name) WHERE part % 3 = 1;
SELECT sum(length(replace(name, 'E', ''))) FROM item;
