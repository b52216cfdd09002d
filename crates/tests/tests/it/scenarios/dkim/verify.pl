# Verifies every DKIM signature of the message on standard input with Mail::DKIM.
#
# The argument is a JSON file of key records by name. Prints one line per signature: selector, algorithm, and pass,
# fail, or unknown if this version doesn't support the algorithm.
use strict;
use warnings;
use JSON::PP;
use Mail::DKIM::Verifier;
use Net::DNS::RR;

open my $file, '<', $ARGV[0] or die "$ARGV[0]: $!";
my $records = decode_json(do { local $/; <$file> });
{
    no warnings 'redefine';
    *Mail::DKIM::DNS::query = sub {
        my ($name, $type) = @_;
        my $text = $records->{ $name =~ s/\.$//r } or return;
        my @strings = $text =~ /(.{1,255})/g;
        return Net::DNS::RR->new(owner => $name, type => $type, txtdata => \@strings);
    };
}
my $verifier = Mail::DKIM::Verifier->new();
binmode STDIN;
while (my $line = <STDIN>) { $verifier->PRINT($line) }
$verifier->CLOSE;
for my $signature ($verifier->signatures) {
    my $result = $signature->result eq 'pass' ? 'pass' : 'fail';
    $result = 'unknown' if $signature->result_detail =~ /unsupported algorithm/;
    print STDERR $signature->result_detail, "\n" if $result eq 'fail';
    print join(' ', $signature->selector, $signature->algorithm, $result), "\n";
}
