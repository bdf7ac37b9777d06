//! Writes the TypeScript types of the view structs and the command list: `npm run gen`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/lib/api");
    studio::command::write_bindings(&folder)?;
    Ok(())
}
