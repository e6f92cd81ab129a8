-- Places queens, sorts tables, and builds strings.
local function queens(n)
  local found, columns, up, down = 0, {}, {}, {}
  local function place(row)
    if row > n then found = found + 1 return end
    for c = 1, n do
      if not columns[c] and not up[row + c] and not down[row - c + n] then
        columns[c], up[row + c], down[row - c + n] = true, true, true
        place(row + 1)
        columns[c], up[row + c], down[row - c + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return found
end

print(queens(10))
local seed, list = 1, {}
for i = 1, 200000 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  list[i] = seed
end
table.sort(list)
local parts = {}
for i = 1, #list, 97 do parts[#parts + 1] = string.format("%x", list[i]) end
print(#table.concat(parts, ","))
