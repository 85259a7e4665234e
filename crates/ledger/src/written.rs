//! stand-in until the module lands
#![allow(missing_docs)]
use crate::value::*;
pub fn read_time(_: &str) -> Option<TimeOfDay> { None }
pub fn is_ambiguous_number(_: &str) -> bool { false }
pub fn read_quantity(written: &str) -> Result<Quantity, ValueError> { Err(ValueError::Unreadable{value_type: ValueType::Number, written: written.into()}) }
pub fn read_date(written: &str) -> Result<PartialDate, ValueError> { Err(ValueError::Unreadable{value_type: ValueType::Date, written: written.into()}) }
