//! Rights: what a key or a token lets its holder do, under the names of OAuth scopes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub enum Right {
    /// Ask what is remembered.
    #[serde(rename = "memory:read")]
    Read,
    /// Say things, correct them, decide disputes.
    #[serde(rename = "memory:write")]
    Write,
    /// Forget.
    #[serde(rename = "memory:forget")]
    Forget,
    /// What concerns the deployment: keys, the policy in force, checks.
    #[serde(rename = "memory:admin")]
    Admin,
    /// Speak as the service itself.
    #[serde(rename = "memory:service")]
    Service,
}

impl Right {
    /// Every right.
    pub const ALL: [Self; 5] = [Self::Read, Self::Write, Self::Forget, Self::Admin, Self::Service];

    /// Its name as a scope.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "memory:read",
            Self::Write => "memory:write",
            Self::Forget => "memory:forget",
            Self::Admin => "memory:admin",
            Self::Service => "memory:service",
        }
    }

    /// The right of this name, with or without `memory:`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|right| right.as_str() == name || right.as_str().strip_prefix("memory:") == Some(name))
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Right {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A set of rights. None holds another: who may write may not therefore read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rights(u8);

impl Rights {
    /// Every right.
    pub const ALL: Self = Self(0b1_1111);

    /// These rights.
    #[must_use]
    pub fn of(rights: &[Right]) -> Self {
        Self(rights.iter().fold(0, |bits, right| bits | right.bit()))
    }

    /// Those of a scope string, as OAuth writes it: names with spaces between. Names that are not ours mean nothing here.
    #[must_use]
    pub fn of_scopes(scopes: &str) -> Self {
        let known: Vec<Right> = Right::ALL
            .into_iter()
            .filter(|right| scopes.split(' ').any(|name| name == right.as_str()))
            .collect();
        Self::of(&known)
    }

    /// Whether it is among them.
    #[must_use]
    pub const fn has(self, right: Right) -> bool {
        self.0 & right.bit() != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Right> {
        Right::ALL.into_iter().filter(move |right| self.has(*right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_have_one_name_each() {
        for right in Right::ALL {
            assert_eq!(Right::named(right.as_str()), Some(right));
            assert_eq!(serde_json::to_value(right).expect("a name"), right.as_str());
            assert_eq!(Rights::of(&[right]).iter().collect::<Vec<_>>(), [right]);
        }
        assert_eq!(Right::named("read"), Some(Right::Read));
        assert_eq!(Right::named("memory:"), None);
        assert_eq!(Rights::ALL, Rights::of(&Right::ALL));
        assert_eq!(Rights::of_scopes("openid memory:read  memory:writer"), Rights::of(&[Right::Read]));
    }
}
