//! The grid of a rasterisation: what fits a scene, and what is checked first.

use waymesh_core::{GridFrame, GridScale, GridWindow, Observer, TriangleSoup, warn_of_outliers};

use crate::sweep::{Limit, Sieve};
use crate::triangle::GridTransform;
use crate::{VoxelConfig, VoxelError};

/// Returns the smallest grid that contains the finite triangles of `soup`. Warns of outliers.
pub(crate) fn fitted_frame(
    soup: &TriangleSoup,
    config: &VoxelConfig,
    observer: &mut dyn Observer,
) -> Result<GridFrame, VoxelError> {
    config.validate()?;
    let bounds = soup.bounds();
    if !bounds.is_valid() {
        Sieve::of_soup(soup).report(observer);
        return Err(VoxelError::NoTriangles { triangles: soup.triangles().len() });
    }
    let frame = GridFrame::fit(&bounds, &config.scale)?;
    warn_of_outliers(soup, &config.scale, observer);
    Ok(frame)
}

/// Checks the configuration and the size of the `result`.
pub(crate) fn prepare(
    frame: &GridFrame,
    window: GridWindow,
    result: GridFrame,
    config: &VoxelConfig,
) -> Result<(GridTransform, Limit), VoxelError> {
    config.validate()?;
    GridScale::new(frame.cell_size, frame.level_height).validate()?;
    check_window(frame, window)?;
    let limit = Limit::new(&result, config.max_memory_bytes);
    limit.check_columns()?;
    Ok((GridTransform::new(frame, window, config.max_slope), limit))
}

/// Checks that `window` lies in `frame`, and that its columns can be numbered.
pub(crate) fn check_window(frame: &GridFrame, window: GridWindow) -> Result<(), VoxelError> {
    let inside = GridWindow::whole(frame).covers(&window);
    let sound = inside && i32::try_from(window.end_x()).is_ok() && i32::try_from(window.end_z()).is_ok();
    if sound {
        return Ok(());
    }
    Err(VoxelError::BadWindow { window, width: frame.width, depth: frame.depth })
}
