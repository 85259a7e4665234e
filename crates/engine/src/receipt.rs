//! Receipts: what an erasure was, without a word of it, and whether the chain bears it out.
//!
//! An erasure of rows is told by an act in its own append. The chain commits to that act, and its hash of an append stays what
//! it is whatever is written or forgotten later. A subject that was forgotten whole is told by a record of the store.

use ledger::fact::{Act, ActKind};
use ledger::id::Watermark;
use ledger::keys::Purpose;
use ledger::log::SubjectErasure;
use ledger::receipt::{Asked, Destruction, first_broken};

use crate::answer::{Receipt, ReceiptChecked};
use crate::error::EngineError;
use crate::{Call, Engine};

/// The shape of a receipt; another shape would have another name.
const FORM: &str = "erasure/1";

impl Engine {
    /// The receipt of an erasure of rows; `None` when its append is gone by now, with the whole subject.
    pub(crate) fn receipt_of(
        &self,
        call: Call<'_>,
        act: &Act,
        watermark: Watermark,
    ) -> Result<Option<Receipt>, EngineError> {
        let ActKind::Forget { asked, rows } = act.kind else { return Ok(None) };
        let hash = self.store().chain(call.scope, watermark)?;
        Ok(hash.map(|hash| Receipt {
            receipt: FORM.to_owned(),
            asked: asked.to_string(),
            rows,
            at: act.at.to_string(),
            by: act.words.by.clone(),
            watermark,
            record: None,
            chain: hash.to_string(),
        }))
    }

    /// The act that tells of the erasure in append `watermark`.
    pub(crate) fn act_of(&self, call: Call<'_>, watermark: Watermark) -> Result<Option<Act>, EngineError> {
        self.read(call.scope, |snapshot| {
            let mut acts = snapshot.memory.acts();
            let told =
                acts.find(|(at, act)| at.seq == watermark && matches!(act.kind, ActKind::Forget { .. }));
            Ok(told.map(|(_, act)| act.as_ref().clone()))
        })
    }

    /// The receipt of the subject's last destruction; `None` when it was not there to be destroyed.
    pub(crate) fn receipt_of_destruction(
        &self,
        erasure: &SubjectErasure,
        by: &str,
    ) -> Result<Option<Receipt>, EngineError> {
        let records = self.store().destructions()?;
        let record = records.iter().rev().find(|record| record.subject == erasure.subject);
        Ok(record.map(|record| Receipt {
            receipt: FORM.to_owned(),
            asked: Asked::Subject.to_string(),
            rows: record.rows,
            at: record.at.to_string(),
            by: by.to_owned(),
            watermark: record.watermark,
            record: Some(record.number),
            chain: record.hash.to_string(),
        }))
    }

    /// Checks a receipt of this subject against what the store keeps: now, or however much was written since.
    ///
    /// # Errors
    /// The store's; a receipt that does not hold is told in the answer.
    pub fn check_receipt(&self, call: Call<'_>, receipt: &Receipt) -> Result<ReceiptChecked, EngineError> {
        let mut problems = Vec::new();
        if receipt.receipt != FORM {
            problems.push(format!("its shape is not `{FORM}`"));
        }
        let records = self.store().destructions()?;
        let subject = self.store().blind(call.scope)?.fingerprint(Purpose::Subject, &[]);
        match receipt.record {
            Some(number) => {
                let own = records.iter().find(|one| one.number == number && one.subject == subject);
                match own {
                    None => problems.push(format!("no record `{number}` is of this subject")),
                    Some(record) => self.compare_record(call, receipt, record, &mut problems)?,
                }
                if let Some(broken) = first_broken(&records).filter(|broken| *broken <= number) {
                    problems
                        .push(format!("record `{broken}` of the store does not follow from those before it"));
                }
            }
            None => {
                self.compare_act(call, receipt, &mut problems)?;
                let gone = records.iter().rev().find(|one| one.subject == subject);
                if let Some(record) = gone.filter(|_| !problems.is_empty()) {
                    let at = record.at;
                    problems.push(format!("the subject was forgotten whole at {at}, and its log with it"));
                }
            }
        }
        Ok(ReceiptChecked { ok: problems.is_empty(), problems, receipt: receipt.clone() })
    }

    fn compare_record(
        &self,
        call: Call<'_>,
        receipt: &Receipt,
        record: &Destruction,
        problems: &mut Vec<String>,
    ) -> Result<(), EngineError> {
        let by = self.store().blind(call.scope)?.fingerprint(Purpose::AskedBy, &[receipt.by.as_bytes()]);
        compare("`asked`", receipt.asked == Asked::Subject.as_str(), problems);
        compare("`rows`", receipt.rows == record.rows, problems);
        compare("`at`", receipt.at == record.at.to_string(), problems);
        compare("`by`", by == record.by, problems);
        compare("`watermark`", receipt.watermark == record.watermark, problems);
        compare("`chain`", receipt.chain == record.hash.to_string(), problems);
        Ok(())
    }

    fn compare_act(
        &self,
        call: Call<'_>,
        receipt: &Receipt,
        problems: &mut Vec<String>,
    ) -> Result<(), EngineError> {
        let hash = self.store().chain(call.scope, receipt.watermark)?;
        let Some(hash) = hash else {
            problems.push(format!("this memory has no append `{}`", receipt.watermark));
            return Ok(());
        };
        compare("`chain`", receipt.chain == hash.to_string(), problems);
        let damage = self.store().verify(call.scope)?.damage.len();
        if damage > 0 {
            problems.push(format!("the log is damaged in {damage} places"));
            // A log whose bytes are damaged cannot be folded.
            return Ok(());
        }
        let Some(act) = self.act_of(call, receipt.watermark)? else {
            problems.push(format!("append `{}` is no erasure", receipt.watermark));
            return Ok(());
        };
        if let ActKind::Forget { asked, rows } = act.kind {
            compare("`asked`", receipt.asked == asked.as_str(), problems);
            compare("`rows`", receipt.rows == rows, problems);
        }
        compare("`at`", receipt.at == act.at.to_string(), problems);
        compare("`by`", receipt.by == act.words.by, problems);
        Ok(())
    }
}

fn compare(field: &str, same: bool, problems: &mut Vec<String>) {
    if !same {
        problems.push(format!("{field} is not what was recorded"));
    }
}
