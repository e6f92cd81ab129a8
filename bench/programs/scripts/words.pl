# Counts words by a hash, and rewrites lines by regular expressions.
my (%count, $length, $changed);
while (<>) {
    $count{lc $1}++ while /(\w+)/g;
    $changed += s/\b(\w)(\w*)(\w)\b/$3$2$1/g;
    $length += length join '-', sort split;
}
print "$changed $length\n";
print "$count{$_} $_\n" for (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 19];
