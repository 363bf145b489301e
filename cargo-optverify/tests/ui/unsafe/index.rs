// Off by one, behind an assumption and a draw.
use optverify::{any, assume, verify};

#[verify]
fn element(table: [u8; 4]) -> u8 {
    let index: usize = any();
    assume(index > 3 && index <= table.len());
    table[index]
}
