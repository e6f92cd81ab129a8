# Counts words and pairs of words, and prints the most frequent ones.
{
    for (i = 1; i <= NF; i++) {
        word = tolower($i)
        gsub(/[^a-z]/, "", word)
        count[word]++
        pair[last " " word]++
        last = word
    }
}
END {
    for (word in count) if (count[word] > 500) print count[word], word
    for (two in pair) if (pair[two] > 40) print pair[two], two
}
