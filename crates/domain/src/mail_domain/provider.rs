//! Identifies the DNS provider of a zone by the names of its nameservers.

/// A DNS provider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DnsProvider {
    /// A stable short id.
    pub id: &'static str,
    /// The display name.
    pub name: &'static str,
}

macro_rules! providers {
    ($($id:literal $name:literal: $($part:literal),+;)*) => {
        /// The suffixes of nameserver host names (whole labels) and their provider. The first match wins.
        const TABLE: &[(DnsProvider, &[&str])] = &[$((DnsProvider { id: $id, name: $name }, &[$($part),+]),)*];
    };
}

providers! {
    "cloudflare" "Cloudflare": "ns.cloudflare.com", "foundationdns.com", "foundationdns.net", "foundationdns.org";
    "route53" "Amazon Route 53": "awsdns-*";
    "godaddy" "GoDaddy": "domaincontrol.com";
    "namecheap" "Namecheap": "registrar-servers.com", "namecheaphosting.com";
    "google_cloud" "Google Cloud DNS": "ns-cloud-*";
    "google_domains" "Google Domains": "googledomains.com", "google.com";
    "squarespace" "Squarespace": "squarespacedns.com";
    "azure" "Azure DNS": "azure-dns.com", "azure-dns.net", "azure-dns.org", "azure-dns.info";
    "digitalocean" "DigitalOcean": "digitalocean.com";
    "hetzner" "Hetzner": "ns.hetzner.com", "ns.hetzner.de", "hetzner.com", "first-ns.de", "second-ns.de", "second-ns.com";
    "ovh" "OVHcloud": "ovh.net", "ovh.ca", "anycast.me";
    "gandi" "Gandi": "gandi.net";
    "ionos" "IONOS": "ui-dns.com", "ui-dns.de", "ui-dns.org", "ui-dns.biz", "1and1.com";
    "dnsimple" "DNSimple": "dnsimple.com", "dnsimple-edge.net", "dnsimple-edge.com", "dnsimple-edge.org", "dnsimple-edge.io";
    "porkbun" "Porkbun": "porkbun.com";
    "vercel" "Vercel": "vercel-dns.com";
    "netlify" "Netlify": "netlify.com", "nsone.net";
    "linode" "Linode": "linode.com";
    "vultr" "Vultr": "vultr.com";
    "hover" "Hover": "hover.com";
    "namecom" "Name.com": "name.com";
    "wix" "Wix": "wixdns.net";
    "hostinger" "Hostinger": "dns-parking.com", "hostinger.com";
    "bluehost" "Bluehost": "bluehost.com";
    "dreamhost" "DreamHost": "dreamhost.com";
    "inwx" "INWX": "inwx.de", "inwx.eu", "inwx.com", "inwx.net";
    "infomaniak" "Infomaniak": "infomaniak.ch", "infomaniak.com";
    "dynadot" "Dynadot": "dynadot.com";
    "namesilo" "NameSilo": "dnsowl.com", "namesilo.com";
    "easydns" "easyDNS": "easydns.com", "easydns.net", "easydns.org", "easydns.info";
    "dnsmadeeasy" "DNS Made Easy": "dnsmadeeasy.com";
    "constellix" "Constellix": "constellix.com", "constellix.net";
    "akamai" "Akamai": "akam.net", "akamaiedge.net";
    "ultradns" "UltraDNS": "ultradns.com", "ultradns.net", "ultradns.org", "ultradns.biz", "ultradns.info";
    "cloudns" "ClouDNS": "cloudns.net", "cloudns.uk";
    "hurricane_electric" "Hurricane Electric": "he.net";
    "strato" "STRATO": "rzone.de", "strato.de";
    "transip" "TransIP": "transip.net", "transip.nl", "transip.eu";
    "one_com" "one.com": "one.com";
    "loopia" "Loopia": "loopia.se";
    "simply" "Simply.com": "simply.com";
    "alibaba" "Alibaba Cloud": "hichina.com", "alidns.com";
    "dnspod" "DNSPod": "dnspod.net", "dnspod.com";
    "yandex" "Yandex": "yandexcloud.net", "yandex.net";
    "desec" "deSEC": "desec.io", "desec.org";
    "bunny" "bunny.net": "bunny.net";
    "njalla" "Njalla": "njalla.in", "njalla.no", "njalla.fo", "you.njal.la";
    "networksolutions" "Network Solutions": "worldnic.com";
    "wordpress" "WordPress.com": "wordpress.com";
    "shopify" "Shopify": "shopify.com";
}

/// Returns the provider of the first nameserver that matches a known one.
#[must_use]
pub fn provider_of(nameservers: &[String]) -> Option<DnsProvider> {
    nameservers
        .iter()
        .find_map(|host| TABLE.iter().find(|(_, parts)| parts.iter().any(|part| matches_part(host, part))))
        .map(|(provider, _)| *provider)
}

/// Returns whether `host` equals `part` or is below it. A part such as `awsdns-*` matches any label with that prefix.
fn matches_part(host: &str, part: &str) -> bool {
    if let Some(start) = part.strip_suffix('*') {
        return host.split('.').any(|label| label.starts_with(start));
    }
    host == part || host.strip_suffix(part).is_some_and(|rest| rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_is_identified_by_its_name_servers() {
        let table = [
            ("ada.ns.cloudflare.com", Some("cloudflare")),
            ("ns-1234.awsdns-56.co.uk", Some("route53")),
            ("ns01.domaincontrol.com", Some("godaddy")),
            ("dns1.registrar-servers.com", Some("namecheap")),
            ("ns-cloud-a1.googledomains.com", Some("google_cloud")),
            ("ns1.googledomains.com", Some("google_domains")),
            ("ns1-07.azure-dns.com", Some("azure")),
            ("helium.ns.hetzner.de", Some("hetzner")),
            ("ns1.he.net", Some("hurricane_electric")),
            ("notcloudflare.com", None),
            ("ns1.the.net", None),
            ("ns1.own.example", None),
        ];
        for (host, expected) in table {
            assert_eq!(provider_of(&[host.to_owned()]).map(|provider| provider.id), expected, "{host}");
        }
        assert_eq!(provider_of(&[]), None);
    }

    #[test]
    fn table_has_unique_ids_and_at_least_25_providers() {
        let mut ids: Vec<&str> = TABLE.iter().map(|(provider, _)| provider.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), TABLE.len());
        assert!(ids.len() >= 25);
    }
}
